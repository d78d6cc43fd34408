import { useLocation } from 'preact-iso';
import type { AlarmCountsReply, AlarmReply } from '../../api/alarms.ts';
import { useApi, withQuery } from '../app/api.ts';
import { formatDuration, formatNumber, formatTime } from '../app/format.ts';
import { usePaged } from '../app/paged.ts';
import { addressOf, nameOf } from '../explorer/view.ts';
import { Answered } from '../parts/answered.tsx';
import { More } from '../parts/more.tsx';
import { State } from '../parts/state.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { alarms as words } from '../texts/alarms.ts';
import { shell } from '../texts/shell.ts';

const EVERY_MS = 10_000;
const PRIORITIES = Array.from({ length: 10 }, (_, k) => String(k + 1));
/** The chart of an alarm begins this long before it was raised, and ends this long after it ended. */
const AROUND_MS = 1_800_000;

/** Alarms from raised to ended, with who acknowledged them and how long that took. */
export default function Alarms() {
  const texts = words.value;
  const { query, route } = useLocation();
  const { state = 'active', search = '', priority = '', from = '' } = query;
  const filters = { state, search, priority, from };
  const counts = useApi<AlarmCountsReply>('/alarms/counts', { everyMs: EVERY_MS });
  const { answer, items, more } = usePaged<AlarmReply, { items: AlarmReply[] }>(
    withQuery('/alarms', filters),
    keyOf,
    { everyMs: EVERY_MS },
  );
  const change = (more: Partial<typeof filters>) =>
    route(withQuery('/alarms', { ...filters, ...more }), true);
  return (
    <>
      <div class="page-head">
        <h1>{shell.value.pages.alarms}</h1>
        <Answered answer={counts}>
          {({ total, active, unacknowledged }) => (
            <span class="actions">
              <State level={active > 0 ? 'late' : 'ok'}>
                {texts.active} {formatNumber(active)}
              </State>
              <State level={unacknowledged > 0 ? 'late' : 'ok'}>
                {texts.unacknowledged} {formatNumber(unacknowledged)}
              </State>
              <State level="idle">
                {texts.total} {formatNumber(total)}
              </State>
            </span>
          )}
        </Answered>
      </div>
      <Filters filters={filters} onChange={change} />
      <Answered answer={answer}>
        {() => (
          <>
            <Table
              caption={shell.value.pages.alarms}
              rows={items}
              keyOf={keyOf}
              columns={columns()}
              below={(row) => <Life of={row} />}
            />
            <More more={more} />
          </>
        )}
      </Answered>
    </>
  );
}

/** No number names an alarm, so these members together do. */
const keyOf = ({ object, property, name, type, raisedAt }: AlarmReply) =>
  JSON.stringify([object, property, name, type, raisedAt]);

type Filters = Readonly<Record<'state' | 'search' | 'priority' | 'from', string>>;

function Filters({ filters, onChange }: { filters: Filters; onChange: (more: Partial<Filters>) => void }) {
  const texts = words.value;
  const priorities: [string, string][] = PRIORITIES.map((each) => [each, texts.upTo(each)]);
  return (
    <form class="filters" onSubmit={(event) => event.preventDefault()}>
      <Choice
        label={texts.state}
        value={filters.state}
        options={Object.entries(texts.states)}
        onChange={(state) => onChange({ state })}
      />
      <label>
        {texts.search}
        <input
          type="search"
          placeholder={texts.searchHint}
          value={filters.search}
          onInput={(event) => onChange({ search: event.currentTarget.value })}
        />
      </label>
      <Choice
        label={texts.priority}
        value={filters.priority}
        options={[['', texts.anyPriority], ...priorities]}
        onChange={(priority) => onChange({ priority })}
      />
      <Choice
        label={texts.raisedIn}
        value={filters.from}
        options={Object.entries(texts.spans)}
        onChange={(from) => onChange({ from })}
      />
    </form>
  );
}

function Choice(props: {
  label: string;
  value: string;
  options: readonly (readonly [string, string])[];
  onChange: (value: string) => void;
}) {
  return (
    <label>
      {props.label}
      <select value={props.value} onChange={(event) => props.onChange(event.currentTarget.value)}>
        {props.options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

function columns(): Column<AlarmReply>[] {
  const texts = words.value;
  return [
    {
      title: texts.alarm,
      cell: ({ name, type, description, active, value }) => (
        <>
          <strong>{name}</strong> <small class="chip">{type}</small> {active && <code>{value}</code>}
          {description !== undefined && <div class="muted">{description}</div>}
        </>
      ),
    },
    {
      title: texts.place,
      cell: (alarm) => (
        <>
          <a href={chartOf(alarm)}>
            {alarm.object} · {alarm.property}
          </a>
          <div class="muted">{[alarm.objectName, alarm.propertyName].filter((name) => name).join(' · ')}</div>
        </>
      ),
    },
    { title: texts.priority, isNumber: true, cell: ({ priority }) => priority ?? '' },
    { title: texts.raised, cell: ({ raisedAt }) => <Time at={raisedAt} /> },
    { title: texts.acknowledged, cell: (alarm) => <Acknowledged of={alarm} /> },
    { title: texts.ended, cell: (alarm) => <Ended of={alarm} /> },
    {
      title: texts.lasted,
      isNumber: true,
      cell: ({ lastedSec }) => (lastedSec === undefined ? '' : formatDuration(lastedSec)),
    },
  ];
}

function Acknowledged({ of }: { of: AlarmReply }) {
  const texts = words.value;
  if (of.acknowledged === false) return <State level="late">{texts.notAcknowledged}</State>;
  if (of.acknowledged === undefined) return <span class="muted">{texts.unknown}</span>;
  const { acknowledgedAt, acknowledgedBy, acknowledgedAfterSec } = of;
  return (
    <>
      {acknowledgedAt !== undefined && <Time at={acknowledgedAt} />}
      <div class="muted">
        {[
          acknowledgedAfterSec === undefined ? undefined : texts.after(formatDuration(acknowledgedAfterSec)),
          acknowledgedBy === undefined ? undefined : texts.by(acknowledgedBy),
        ]
          .filter((part) => part !== undefined)
          .join(' ')}
      </div>
    </>
  );
}

function Ended({ of: { active, endedAt, endedAfter } }: { of: AlarmReply }) {
  const texts = words.value;
  if (active === undefined) return <span class="muted">{texts.unknown}</span>;
  if (active) return <State level="late">{texts.goesOn}</State>;
  if (endedAt === undefined) return <span class="muted">{texts.unknown}</span>;
  return (
    <>
      <Time at={endedAt} />
      {endedAfter !== undefined && endedAfter !== endedAt && (
        <div class="muted">{texts.endedBetween(formatTime(endedAfter))}</div>
      )}
    </>
  );
}

/** What the alarm did, for those who look closer. */
function Life({ of: { events } }: { of: AlarmReply }) {
  const texts = words.value;
  if (events.length === 0) return null;
  return (
    <details>
      <summary class="muted">
        {texts.life} ({formatNumber(events.length)})
      </summary>
      <ol class="life">
        {events.map(({ transition, at, by, value }) => (
          <li key={`${at} ${transition}`}>
            <Time at={at} isLong /> {texts.transitions[transition]} {by !== undefined && texts.by(by)}{' '}
            {value !== undefined && <code>{value}</code>}
          </li>
        ))}
      </ol>
    </details>
  );
}

/** The address of the chart of the property around the life of its alarm. */
function chartOf({ object, property, raisedAt, endedAt }: AlarmReply): string {
  const iso = (ms: number) => new Date(ms).toISOString();
  const end = endedAt === undefined ? Date.now() : Date.parse(endedAt) + AROUND_MS;
  return addressOf({
    series: [nameOf({ object, property })],
    from: iso(Date.parse(raisedAt) - AROUND_MS),
    to: end >= Date.now() ? 'now' : iso(end),
  });
}
