import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ChoicesReply } from '../../api/explorer.ts';
import { useApi } from '../app/api.ts';
import { type ZoneChoice, zoneChoice } from '../app/settings.ts';
import { explorer } from '../texts/explorer.ts';
import { RAW_STREAM, type View } from './view.ts';

type Change = (change: Partial<View>) => void;

/** The range of time, the store and the stream that are shown. */
export function RangeBar({ view, onChange }: { view: View; onChange: Change }) {
  const texts = explorer.value;
  const from = useSignal(view.from);
  const to = useSignal(view.to);
  useEffect(() => {
    from.value = view.from;
    to.value = view.to;
  }, [view.from, view.to, from, to]);
  return (
    <form
      class="filters"
      onSubmit={(event) => {
        event.preventDefault();
        onChange({ from: from.value, to: to.value });
      }}
    >
      <fieldset class="spans">
        <legend class="unseen">{texts.range}</legend>
        {Object.entries(texts.spans).map(([span, name]) => (
          <button
            key={span}
            type="button"
            class="quiet"
            aria-pressed={view.from === span && view.to === 'now'}
            onClick={() => onChange({ from: span, to: 'now' })}
          >
            {name}
          </button>
        ))}
      </fieldset>
      <label>
        {texts.from}
        <input
          title={texts.timeHint}
          value={from.value}
          onInput={(event) => {
            from.value = event.currentTarget.value;
          }}
        />
      </label>
      <label>
        {texts.to}
        <input
          title={texts.timeHint}
          value={to.value}
          onInput={(event) => {
            to.value = event.currentTarget.value;
          }}
        />
      </label>
      <button type="submit">{texts.show}</button>
      <Choices view={view} onChange={onChange} />
    </form>
  );
}

function Choices({ view, onChange }: { view: View; onChange: Change }) {
  const texts = explorer.value;
  const { data } = useApi<ChoicesReply>('/explorer/choices');
  const stores = data?.stores ?? [];
  const streams = [...new Set([view.stream, RAW_STREAM, ...(data?.streams ?? [])])];
  return (
    <>
      {stores.length > 1 && (
        <label>
          {texts.store}
          <select value={view.store} onChange={(event) => onChange({ store: event.currentTarget.value })}>
            {stores.map(({ id, kind }, k) => (
              <option key={id} value={k === 0 ? '' : id}>
                {kind}
              </option>
            ))}
          </select>
        </label>
      )}
      {streams.length > 1 && (
        <label>
          {texts.stream}
          <select value={view.stream} onChange={(event) => onChange({ stream: event.currentTarget.value })}>
            {streams.map((stream) => (
              <option key={stream}>{stream}</option>
            ))}
          </select>
        </label>
      )}
      <label>
        {texts.zone}
        <select
          value={zoneChoice.value}
          onChange={(event) => {
            zoneChoice.value = event.currentTarget.value as ZoneChoice;
          }}
        >
          <option value="plant">{texts.zones.plant}</option>
          <option value="browser">{texts.zones.browser}</option>
        </select>
      </label>
    </>
  );
}
