import { useSignal } from '@preact/signals';
import type { RunDetail, RunReply, RunsPage } from '../../api/runs.ts';
import { useApi, withQuery } from '../app/api.ts';
import { formatDuration, formatNumber } from '../app/format.ts';
import { useFilters } from '../app/paged.ts';
import { Answered } from '../parts/answered.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Facts } from '../parts/facts.tsx';
import { Choice, TextFilter } from '../parts/filters.tsx';
import { ListPage } from '../parts/list-page.tsx';
import { Outcome } from '../parts/outcome.tsx';
import type { Column } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { Told } from '../parts/told.tsx';
import { records } from '../texts/records.ts';
import { shell } from '../texts/shell.ts';
import { streams } from '../texts/streams.ts';

const outcomes = ['running', 'done', 'partial', 'failed', 'interrupted', 'lost'] as const;

/** What ran, when, and how it ended. */
export default function Runs() {
  const { filters } = useFilters();
  const { stream, kind, outcome, from, to, idle } = filters;
  const path = withQuery('/runs', { stream, kind, outcome, from, to, leaveIdle: idle === undefined });
  const shown = useSignal<number | undefined>(undefined);
  const texts = records.value;
  return (
    <>
      <ListPage<RunReply, RunsPage>
        title={shell.value.pages.runs}
        path={path}
        topics={['runs']}
        filters={
          <>
            <TextFilter name="stream" title={texts.stream} />
            <TextFilter name="kind" title={texts.kind} hint="scan, increment…" />
            <Choice
              name="outcome"
              title={texts.runs.outcome}
              values={outcomes.map((each) => [each, streams.value.outcomes[each]] as const)}
            />
          </>
        }
        lastFilters={
          <Choice
            name="idle"
            title={texts.runs.idle}
            none={texts.runs.idleHidden}
            values={[['shown', texts.runs.idleShown]]}
          />
        }
        above={({ idle: hidden = 0 }) =>
          hidden > 0 && <p class="muted">{texts.runs.hidden(formatNumber(hidden))}</p>
        }
        keyOf={({ id }) => id}
        columns={columns((id) => {
          shown.value = id;
        })}
        below={({ error }) =>
          error && (
            <span class="problem">
              <Told text={error} />
            </span>
          )
        }
        empty={stream || kind || outcome || from || to ? texts.noMatch : texts.runs.empty}
      />
      {shown.value !== undefined && (
        <Detail
          id={shown.value}
          onClose={() => {
            shown.value = undefined;
          }}
        />
      )}
    </>
  );
}

function columns(show: (id: number) => void): Column<RunReply>[] {
  const texts = records.value;
  return [
    { title: texts.stream, cell: ({ stream }) => <strong>{stream}</strong> },
    { title: texts.kind, cell: ({ kind }) => kind },
    { title: texts.runs.outcome, cell: ({ outcome }) => <Outcome of={outcome} /> },
    { title: texts.runs.began, cell: ({ startedAt }) => <Time at={startedAt} /> },
    {
      title: texts.runs.took,
      isNumber: true,
      cell: ({ seconds }) => (seconds === undefined ? '' : formatDuration(seconds)),
    },
    { title: texts.runs.records, isNumber: true, cell: ({ records: count }) => whole(count) },
    { title: texts.runs.points, isNumber: true, cell: ({ points }) => <Points of={points} /> },
    { title: texts.runs.rejects, isNumber: true, cell: ({ rejects }) => whole(rejects) },
    {
      title: '',
      cell: ({ id }) => (
        <button type="button" class="quiet" onClick={() => show(id)}>
          {texts.details}
        </button>
      ),
    },
  ];
}

const whole = (count: number | undefined) => (count ? formatNumber(count) : '');

/** Acknowledged points of each store. */
export function Points({ of = {} }: { of?: Readonly<Record<string, number>> | undefined }) {
  const counts = Object.entries(of).filter(([, count]) => count > 0);
  return (
    <>
      {counts.map(([store, count]) => (
        <div key={store}>
          {formatNumber(count)} <span class="muted">{store}</span>
        </div>
      ))}
    </>
  );
}

function Detail({ id, onClose }: { id: number; onClose: () => void }) {
  const answer = useApi<RunDetail>(`/runs/${id}`, { topics: ['runs'] });
  return (
    <Dialog title={records.value.runs.run(String(id))} onClose={onClose}>
      <Answered answer={answer}>{(run) => <RunFacts run={run} />}</Answered>
    </Dialog>
  );
}

function RunFacts({ run }: { run: RunDetail }) {
  const texts = records.value;
  const { summary, seconds, finishedAt } = run;
  const rows = summary && [summary.inserted, summary.updated, summary.deleted].map(formatNumber);
  return (
    <>
      <Facts
        of={[
          [texts.stream, `${run.stream} · ${run.kind}`],
          [texts.runs.outcome, <Outcome key="outcome" of={run.outcome} />],
          [texts.from, <Time key="from" at={run.startedAt} isLong />],
          [texts.to, finishedAt && <Time key="to" at={finishedAt} isLong />],
          [texts.runs.took, seconds === undefined ? '' : formatDuration(seconds)],
          [texts.runs.records, whole(run.records)],
          [texts.runs.points, run.points && <Points key="points" of={run.points} />],
          [texts.runs.rows, rows && texts.runs.rowCounts(rows[0] ?? '', rows[1] ?? '', rows[2] ?? '')],
          [texts.runs.rejects, whole(run.rejects)],
          [texts.runs.requests, whole(summary?.requests)],
          [texts.runs.process, `${run.host}, ${run.pid}`],
          [texts.error, run.code && <code key="code">{run.code}</code>],
        ]}
      />
      <Sentences title={texts.runs.problems} of={summary?.problems ?? (run.error ? [run.error] : [])} />
      <Sentences title={texts.runs.notes} of={summary?.notes ?? []} />
    </>
  );
}

/** A list of sentences below a heading. Nothing without sentences. */
export function Sentences({ title, of }: { title: string; of: readonly string[] }) {
  if (of.length === 0) return null;
  return (
    <section>
      <h3>{title}</h3>
      <ul>
        {of.map((sentence) => (
          <li key={sentence}>
            <Told text={sentence} />
          </li>
        ))}
      </ul>
    </section>
  );
}
