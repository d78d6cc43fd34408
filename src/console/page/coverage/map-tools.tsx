import type { CoverageSources } from '../../api/coverage.ts';
import { coverage } from '../texts/coverage.ts';
import { records } from '../texts/records.ts';
import type { Grouping, MapChoice } from './map-state.ts';
import { pan, type View, zoom } from './time-view.ts';

/** The choice of store, stream, rows and series. */
export function Choices({
  sources,
  choice,
  onChange,
}: {
  sources: CoverageSources;
  choice: MapChoice;
  onChange: (change: Partial<MapChoice>) => void;
}) {
  const texts = coverage.value;
  const stores = sources.streams.find(({ name }) => name === choice.stream)?.stores ?? [];
  const takeStream = (stream: string) => {
    const taking = sources.streams.find(({ name }) => name === stream)?.stores ?? [];
    const store = taking.find(({ id }) => id === choice.store) ?? taking[0];
    onChange({ stream, store: store?.id ?? choice.store });
  };
  return (
    <div class="filters">
      <Select
        label={texts.store}
        value={choice.store}
        options={stores.map(({ id, kind }) => [id, nameOfStore(kind, id, stores.length)])}
        onPick={(store) => onChange({ store })}
      />
      <Select
        label={texts.stream}
        value={choice.stream}
        options={sources.streams.map(({ name }) => [name, name])}
        onPick={takeStream}
      />
      <Select
        label={texts.groupBy}
        value={choice.groupBy}
        options={(['object', 'template', 'selection', 'none'] as const).map((each) => [
          each,
          texts.groups[each],
        ])}
        onPick={(groupBy) => onChange({ groupBy: groupBy as Grouping })}
      />
      <Select
        label={texts.order}
        value={choice.order}
        options={(['name', 'missing'] as const).map((each) => [each, texts.orders[each]])}
        onPick={(order) => onChange({ order: order as MapChoice['order'] })}
      />
      <Glob label={texts.object} value={choice.object} onPick={(object) => onChange({ object })} />
      <Glob label={texts.property} value={choice.property} onPick={(property) => onChange({ property })} />
    </div>
  );
}

function nameOfStore(kind: string, id: string, count: number): string {
  return count > 1 ? `${kind} (${id})` : id;
}

interface SelectProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [string, string])[];
  readonly onPick: (value: string) => void;
}

function Select({ label, value, options, onPick }: SelectProps) {
  return (
    <label>
      {label}
      <select value={value} onChange={({ currentTarget }) => onPick(currentTarget.value)}>
        {options.map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

function Glob({
  label,
  value,
  onPick,
}: {
  label: string;
  value: string | undefined;
  onPick: (value: string | undefined) => void;
}) {
  return (
    <label>
      {label}
      <input
        value={value ?? ''}
        placeholder="*"
        title={records.value.backfills.globHint}
        size={12}
        spellcheck={false}
        onChange={({ currentTarget }) => onPick(currentTarget.value.trim() || undefined)}
      />
    </label>
  );
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const spans = [
  ['hour', HOUR],
  ['day', DAY],
  ['week', 7 * DAY],
  ['month', 30 * DAY],
  ['year', 365.25 * DAY],
  ['decade', 3652.5 * DAY],
] as const;

/** Buttons that move through time. */
export function Tools({
  view,
  whole,
  now,
  onView,
}: {
  view: View;
  whole: View | undefined;
  now: number;
  onView: (view: View) => void;
}) {
  const texts = coverage.value;
  const signs = [
    ['‹', texts.earlier, pan(view, -0.5)],
    ['›', texts.later, pan(view, 0.5)],
    ['−', texts.zoomOut, zoom(view, 2)],
    ['+', texts.zoomIn, zoom(view, 0.5)],
  ] as const;
  return (
    <div class="map-tools">
      {signs.map(([sign, label, to]) => (
        <button
          key={sign}
          type="button"
          class="quiet"
          aria-label={label}
          title={label}
          onClick={() => onView(to)}
        >
          {sign}
        </button>
      ))}
      {whole !== undefined && (
        <button type="button" class="quiet" onClick={() => onView(whole)}>
          {texts.whole}
        </button>
      )}
      {spans.map(([name, span]) => (
        <button key={name} type="button" class="quiet" onClick={() => onView({ from: now - span, to: now })}>
          {texts.spans[name]}
        </button>
      ))}
    </div>
  );
}

const signsOfLegend = ['stored', 'part', 'gap', 'unwanted', 'kept'] as const;

export function Legend() {
  return (
    <ul class="legend">
      {signsOfLegend.map((name) => (
        <li key={name}>
          <i class={name} aria-hidden="true" />
          {coverage.value.legend[name]}
        </li>
      ))}
    </ul>
  );
}
