import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import type { FoundReply, FoundSeriesReply } from '../../api/explorer.ts';
import { useApi, withQuery } from '../app/api.ts';
import { formatNumber } from '../app/format.ts';
import { explorer } from '../texts/explorer.ts';
import { sayRefusal } from '../texts/problems.ts';

const SHOWN = 30;

/** Finds series by parts of their names. Arrow keys go through what was found, Enter takes it. */
export function Search({ onTake, isFull }: { onTake: (series: string) => void; isFull: boolean }) {
  const texts = explorer.value;
  const id = useId();
  const words = useSignal('');
  const isOpen = useSignal(false);
  const marked = useSignal(0);
  const path = isOpen.value
    ? withQuery('/explorer/series', { search: words.value, limit: SHOWN })
    : undefined;
  const { data, problem } = useApi<FoundReply>(path);
  const items = data?.items ?? [];
  const take = (found: FoundSeriesReply | undefined) => {
    if (found === undefined || isFull) return;
    onTake(found.series);
    isOpen.value = false;
    words.value = '';
  };
  const mark = (at: number) => {
    marked.value = Math.max(0, Math.min(items.length - 1, at));
    document.getElementById(`${id}-${marked.value}`)?.scrollIntoView({ block: 'nearest' });
  };
  const keys: Readonly<Record<string, () => void>> = {
    ArrowDown: () => mark(marked.value + 1),
    ArrowUp: () => mark(marked.value - 1),
    Enter: () => take(items[marked.value]),
    Escape: () => {
      isOpen.value = false;
    },
  };
  return (
    <div class="series-search">
      <label for={id}>{isFull ? texts.full : texts.search}</label>
      <input
        id={id}
        type="text"
        role="combobox"
        aria-expanded={isOpen.value}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={isOpen.value && items.length > 0 ? `${id}-${marked.value}` : undefined}
        autocomplete="off"
        spellcheck={false}
        placeholder={texts.searchHint}
        value={words.value}
        onInput={(event) => {
          words.value = event.currentTarget.value;
          marked.value = 0;
          isOpen.value = true;
        }}
        onFocus={() => {
          isOpen.value = true;
        }}
        onBlur={() => {
          isOpen.value = false;
        }}
        onKeyDown={(event) => {
          const act = keys[event.key];
          if (act === undefined) return;
          event.preventDefault();
          if (event.key !== 'Escape') isOpen.value = true;
          act();
        }}
      />
      {isOpen.value && (
        // A press on the list must not take the focus from the input, which would close the list.
        // biome-ignore lint/a11y/noStaticElementInteractions: the press only leaves the focus where it is
        <div class="found" onMouseDown={(event) => event.preventDefault()}>
          <div role="listbox" id={`${id}-list`} aria-label={texts.search}>
            {items.map((found, k) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the input
              <div
                key={found.series}
                id={`${id}-${k}`}
                role="option"
                tabIndex={-1}
                aria-selected={k === marked.value}
                onClick={() => take(found)}
              >
                <Found found={found} />
              </div>
            ))}
          </div>
          {problem !== undefined && <p class="problem">{sayRefusal(problem)}</p>}
          {data !== undefined && (
            <p class="muted" aria-live="polite">
              {items.length < data.total
                ? texts.foundSome(formatNumber(items.length), formatNumber(data.total))
                : texts.found(formatNumber(data.total))}
            </p>
          )}
        </div>
      )}
    </div>
  );
}

function Found({ found }: { found: FoundSeriesReply }) {
  const texts = explorer.value;
  const { object, objectName, template, property, propertyName, type, history, current } = found;
  return (
    <>
      <strong>
        {object} · {property}
      </strong>
      <span>{[objectName, propertyName].filter((name) => name).join(' · ')}</span>
      <span class="muted">
        {[template, type, history ? texts.history : undefined, current ? texts.live : undefined]
          .filter((part) => part)
          .join(' · ')}
        {!history && !current && texts.notSelected}
      </span>
    </>
  );
}
