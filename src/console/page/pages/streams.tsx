import type { JobReply, LastRunReply, StreamReply, StreamsReply } from '../../api/streams.ts';
import { post, useApi } from '../app/api.ts';
import { formatDuration, formatNumber } from '../app/format.ts';
import { Act } from '../parts/act.tsx';
import { Answered } from '../parts/answered.tsx';
import { Outcome } from '../parts/outcome.tsx';
import { State } from '../parts/state.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Ago, Time } from '../parts/time.tsx';
import { Told } from '../parts/told.tsx';
import { shell } from '../texts/shell.ts';
import { streams as words } from '../texts/streams.ts';

/** What the service reads, how far each stream is, and what it does next. */
export default function Streams() {
  const answer = useApi<StreamsReply>('/streams', { topics: ['runs', 'control', 'rejects', 'drift'] });
  const texts = words.value;
  const control = (action: string) => async (names: readonly string[]) => {
    await post(`/${action}`, { targets: names });
    answer.reload();
  };
  const actions = { trigger: control('trigger'), pause: control('pause'), resume: control('resume') };
  return (
    <>
      <div class="page-head">
        <h1>{shell.value.pages.streams}</h1>
        <span class="actions">
          <Act onAct={() => actions.pause([])}>{texts.pauseAll}</Act>
          <Act onAct={() => actions.resume([])}>{texts.resumeAll}</Act>
        </span>
      </div>
      <Answered answer={answer}>
        {({ streams, jobs }) => (
          <>
            <section>
              <h2>{texts.directory}</h2>
              <Table
                caption={texts.directory}
                rows={streams}
                keyOf={({ stream }) => stream}
                columns={streamColumns(actions)}
                below={({ last }) => describeError(last)}
              />
            </section>
            <section>
              <h2>{texts.jobs}</h2>
              <Table
                caption={texts.jobs}
                rows={jobs}
                keyOf={({ job }) => job}
                columns={jobColumns(actions)}
                below={({ last }) => describeError(last)}
              />
            </section>
          </>
        )}
      </Answered>
    </>
  );
}

type Actions = Readonly<Record<'trigger' | 'pause' | 'resume', (names: readonly string[]) => Promise<void>>>;

function streamColumns(actions: Actions): Column<StreamReply>[] {
  const texts = words.value;
  return [
    {
      title: texts.stream,
      cell: ({ stream, completes }) => (
        <>
          <strong>{stream}</strong>
          {completes !== undefined && <div class="muted">{texts.completes(completes)}</div>}
        </>
      ),
    },
    { title: texts.last, cell: ({ last }) => <LastRun run={last} /> },
    { title: texts.took, isNumber: true, cell: ({ last }) => describeTime(last) },
    { title: texts.rows, isNumber: true, cell: describeRows },
    { title: texts.recent, isNumber: true, cell: describeChanges },
    {
      title: texts.lag,
      isNumber: true,
      cell: ({ lagSec }) => (lagSec === undefined ? '' : formatDuration(lagSec)),
    },
    { title: texts.next, cell: describeNext },
    {
      title: texts.rejects,
      isNumber: true,
      cell: ({ stream, rejects }) =>
        rejects ? <a href={`/rejects?stream=${stream}`}>{formatNumber(rejects)}</a> : (rejects ?? ''),
    },
    {
      title: texts.drift,
      isNumber: true,
      cell: ({ stream, drift }) =>
        drift ? <a href={`/drift?stream=${stream}`}>{formatNumber(drift)}</a> : (drift ?? ''),
    },
    {
      title: '',
      cell: ({ stream, completes, enabled, paused }) =>
        enabled && completes === undefined && <Buttons name={stream} paused={paused} actions={actions} />,
    },
  ];
}

function jobColumns(actions: Actions): Column<JobReply>[] {
  const texts = words.value;
  return [
    { title: texts.job, cell: ({ job }) => <strong>{job}</strong> },
    { title: texts.last, cell: ({ last }) => <LastRun run={last} /> },
    { title: texts.took, isNumber: true, cell: ({ last }) => describeTime(last) },
    {
      title: texts.next,
      cell: ({ paused, nextAt }) =>
        paused ? <State level="late">{texts.paused}</State> : <Ago at={nextAt} />,
    },
    {
      title: '',
      cell: ({ job, paused }) => <Buttons name={job} paused={paused} actions={actions} />,
    },
  ];
}

function Buttons({ name, paused, actions }: { name: string; paused: boolean; actions: Actions }) {
  const texts = words.value;
  return (
    <span class="actions">
      {!paused && <Act onAct={() => actions.trigger([name])}>{texts.runNow}</Act>}
      <Act onAct={() => actions[paused ? 'resume' : 'pause']([name])}>
        {paused ? texts.resume : texts.pause}
      </Act>
    </span>
  );
}

function LastRun({ run }: { run: LastRunReply | undefined }) {
  if (run === undefined) return <span class="muted">{words.value.never}</span>;
  return (
    <span class="actions">
      <Outcome of={run.outcome} /> <Time at={run.startedAt} />
    </span>
  );
}

const describeTime = (run: LastRunReply | undefined) =>
  run?.seconds === undefined ? '' : formatDuration(run.seconds);

const describeError = (run: LastRunReply | undefined) =>
  run?.error === undefined ? undefined : (
    <span class="problem">
      <Told text={run.error} />
    </span>
  );

function describeRows({ rows }: StreamReply) {
  if (rows === undefined) return '';
  return (
    <>
      {formatNumber(rows.live)}
      {rows.deleted > 0 && <div class="muted">{words.value.deleted(formatNumber(rows.deleted))}</div>}
    </>
  );
}

function describeChanges({ rows, recent }: StreamReply): string {
  if (rows === undefined || recent === undefined) return '';
  const { changes } = words.value;
  const counts = [
    [changes.added, rows.added + recent.restored],
    [changes.updated, recent.updated],
    [changes.deleted, recent.deleted],
  ] as const;
  const shown = counts.filter(([, count]) => count > 0).map(([text, count]) => text(formatNumber(count)));
  return shown.length === 0 ? changes.none : shown.join(' ');
}

function describeNext({ enabled, paused, nextAt }: StreamReply) {
  const texts = words.value;
  if (!enabled) return <span class="muted">{texts.off}</span>;
  if (paused) return <State level="late">{texts.paused}</State>;
  if (nextAt === undefined) return '';
  return Date.parse(nextAt) <= Date.now() ? texts.due : <Ago at={nextAt} />;
}
