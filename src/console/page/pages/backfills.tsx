import { useSignal } from '@preact/signals';
import type { BackfillReply } from '../../api/backfills.ts';
import { post } from '../app/api.ts';
import { formatDuration, formatNumber, formatShare } from '../app/format.ts';
import { usePaged } from '../app/paged.ts';
import { service } from '../app/service.ts';
import { Act } from '../parts/act.tsx';
import { Answered } from '../parts/answered.tsx';
import { More } from '../parts/more.tsx';
import { type Level, State } from '../parts/state.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { Told } from '../parts/told.tsx';
import { records } from '../texts/records.ts';
import { shell } from '../texts/shell.ts';
import { Points } from './runs.tsx';

const levels: Readonly<Record<BackfillReply['status'], Level>> = {
  waiting: 'idle',
  running: 'busy',
  done: 'ok',
  partial: 'late',
  failed: 'broken',
  cancelled: 'idle',
  interrupted: 'late',
  lost: 'broken',
};

/** Backfills with their progress, and a form that begins one. */
export default function Backfills() {
  const keyOf = ({ id, run }: BackfillReply) => (id === undefined ? `run ${run}` : `order ${id}`);
  const { answer, items, more } = usePaged<BackfillReply, { items: BackfillReply[] }>('/backfills', keyOf, {
    topics: ['backfills', 'runs'],
  });
  const texts = records.value.backfills;
  return (
    <>
      <div class="page-head">
        <h1>{shell.value.pages.backfills}</h1>
      </div>
      {!service.value?.readOnly && <Begin onBegun={answer.reload} />}
      <Answered answer={answer}>
        {() => (
          <>
            <Table
              caption={shell.value.pages.backfills}
              rows={items}
              empty={texts.empty}
              keyOf={keyOf}
              columns={columns(answer.reload)}
              below={({ error, problems, notes }) => {
                const told = [error ?? problems[0], notes[0]].filter((each) => each !== undefined);
                if (told.length === 0) return undefined;
                return told.map((text) => (
                  <span key={text} class={error ? 'problem' : 'muted'}>
                    <Told text={text} />{' '}
                  </span>
                ));
              }}
            />
            <More more={more} />
          </>
        )}
      </Answered>
      <p class="muted">{texts.hint}</p>
    </>
  );
}

function columns(reload: () => void): Column<BackfillReply>[] {
  const texts = records.value.backfills;
  return [
    {
      title: records.value.state,
      cell: ({ status, cancelAsked }) => (
        <State level={levels[status]}>
          {status === 'running' && cancelAsked ? texts.cancelling : texts.states[status]}
        </State>
      ),
    },
    {
      title: texts.range,
      cell: ({ from, to }) =>
        from !== '' && (
          <>
            <Time at={from} isLong /> … <Time at={to} isLong />
          </>
        ),
    },
    { title: texts.series, cell: describeSeries },
    { title: texts.progress, cell: (backfill) => <Progress of={backfill} /> },
    { title: texts.points, isNumber: true, cell: ({ points }) => <Points of={points} /> },
    {
      title: texts.asked,
      cell: ({ askedAt, id }) => (
        <>
          <Time at={askedAt} />
          {id === undefined && <div class="muted">{texts.byCommand}</div>}
        </>
      ),
    },
    { title: '', cell: (backfill) => <Actions of={backfill} onDone={reload} /> },
  ];
}

function describeSeries({ alarms, object, property }: BackfillReply): string {
  const texts = records.value.backfills;
  if (alarms) return texts.ofAlarms;
  return object === undefined && property === undefined
    ? texts.allSeries
    : `${object ?? '*'} / ${property ?? '*'}`;
}

function Progress({ of: { progress, status } }: { of: BackfillReply }) {
  const texts = records.value.backfills;
  if (progress === undefined) return null;
  const { share, points, pointsPerSec, remainingSec, windows } = progress;
  const isRunning = status === 'running';
  return (
    <>
      <progress value={share} max={1} aria-label={texts.progress} />
      <div>
        {formatShare(share)}{' '}
        <span class="muted">
          {[
            texts.windows(formatNumber(windows)),
            points > 0 && isRunning && texts.rate(formatNumber(Math.round(pointsPerSec))),
            isRunning && remainingSec !== undefined && texts.left(formatDuration(remainingSec)),
          ]
            .filter(Boolean)
            .join(' · ')}
        </span>
      </div>
    </>
  );
}

function Actions({ of: backfill, onDone }: { of: BackfillReply; onDone: () => void }) {
  const { id, run, status, cancelAsked, from, to, object, property, alarms, force } = backfill;
  const texts = records.value.backfills;
  const isOpen = status === 'waiting' || status === 'running';
  const cancel = () =>
    post(id === undefined ? `/runs/${run}/cancel` : `/backfills/${id}/cancel`).then(onDone);
  const again = () => post('/backfills', { from, to, object, property, alarms, force }).then(onDone);
  if (isOpen) return cancelAsked ? null : <Act onAct={cancel}>{texts.cancel}</Act>;
  return status === 'done' || from === '' ? null : <Act onAct={again}>{texts.again}</Act>;
}

function Begin({ onBegun }: { onBegun: () => void }) {
  const form = useSignal({ from: '-7d', to: 'now', object: '', property: '', alarms: false, force: false });
  const texts = records.value.backfills;
  const { from, to, object, property, alarms, force } = form.value;
  const set = (change: Partial<typeof form.value>) => {
    form.value = { ...form.value, ...change };
  };
  const begin = async () => {
    const series = alarms ? {} : { object: object || undefined, property: property || undefined };
    await post('/backfills', { from, to, alarms, force, ...series });
    onBegun();
  };
  const field = (name: 'from' | 'to' | 'object' | 'property', title: string, hint: string) => (
    <label>
      {title}
      <input
        value={form.value[name]}
        placeholder={hint}
        disabled={alarms && (name === 'object' || name === 'property')}
        spellcheck={false}
        onInput={({ currentTarget }) => set({ [name]: currentTarget.value.trim() })}
      />
    </label>
  );
  const switchOf = (name: 'alarms' | 'force', title: string) => (
    <label class="switch">
      <input
        type="checkbox"
        checked={form.value[name]}
        onChange={({ currentTarget }) => set({ [name]: currentTarget.checked })}
      />
      {title}
    </label>
  );
  return (
    <details class="card begin">
      <summary>{texts.begin}</summary>
      <div class="filters">
        {field('from', records.value.from, '-7d')}
        {field('to', records.value.to, 'now')}
        {field('object', texts.object, '*')}
        {field('property', texts.property, '*')}
        {switchOf('alarms', texts.alarms)}
        {switchOf('force', texts.force)}
      </div>
      <p class="muted small">{texts.globHint}</p>
      <Act onAct={begin} isPrimary>
        {texts.start}
      </Act>
    </details>
  );
}
