import type { ScheduleClock } from '../../../../jobs/next-run-of-stream.ts';
import { ExitCode } from '../../../errors.ts';
import type { RunRecord } from '../../../ledger/runs.ts';
import { listConfiguredKinds } from '../../../load/stores/store-kind.ts';
import { describeServer } from '../../../postgres/connect.ts';
import { plural } from '../../../sync/count-text.ts';
import { describeBacklog, describeBehind } from '../../../sync/rollups/keep-rollups.ts';
import type { Level } from '../../../sync/status/overview-types.ts';
import type { Status } from '../../../sync/status/read-status.ts';
import { type CommonOptions, type Io, print } from '../../io.ts';
import { type CommandContext, withSession } from '../../open/session.ts';
import { describeCoverage } from '../../output/render-gaps.ts';
import { cutText, formatDuration, formatNumber, type Line, makeTable } from '../../output/table.ts';
import { tellWait } from '../../output/tell-wait.ts';
import { formatSecond } from '../../output/time.ts';
import { renderOverview } from './render-overview.ts';
import { serverJson, statusJson } from './status-json.ts';
import { openStatusView, type StatusLook } from './status-view.ts';
import { renderStreams } from './stream-table.ts';
import { watchStatus } from './watch-status.ts';

const DRIFT_COLUMNS = [
  'table',
  { title: 'member', cut: 10 },
  'kind',
  'records',
  { title: 'since', drop: 1 },
  { title: 'sample', cut: 6 },
];
const DRIFT_SHOWN = 20;
/** The number of problems that are shown for each stream. */
const PROBLEMS_SHOWN = 3;

export interface StatusOptions extends CommonOptions {
  /** Seconds between two looks. Undefined for one look. */
  readonly watch?: number | undefined;
}

/** The exit codes of `plantsync status`, as documented in docs/commands.md. */
const exitCodes: Readonly<Record<Level, number>> = {
  ok: ExitCode.done,
  late: ExitCode.partial,
  broken: ExitCode.failed,
};

/** Runs `plantsync status`: answers whether all is well, then shows runs, and what is missing or refused. */
export async function status(io: Io, options: StatusOptions): Promise<number> {
  return withSession(io, options, async (session) => {
    const view = await openStatusView(io, options, session);
    const { watch: everySec } = options;
    if (everySec !== undefined) {
      return watchStatus(io, { everySec, look: async () => renderLook(await view.look()) });
    }
    const found = await tellWait({ io, log: session.log }, 'looking at everything', () => view.look());
    print(io, options, { json: toJson(found), lines: () => renderLook(found) });
    return exitCodes[found.overview.level];
  });
}

/** Returns everything that a look has found for JSON. All times are ISO 8601. */
function toJson({ overview, status: found, ctx }: StatusLook) {
  if (found === undefined || ctx === undefined) return { at: overview.at, overview };
  const json = statusJson(found, timesOf(found, ctx));
  return {
    ...json,
    overview,
    postgres: serverJson(ctx.db.server()),
    problems: listProblems(found),
    notes: notesOf(ctx),
  };
}

/** Renders a look: the head, and the sections below it if the ledger could be read. */
export function renderLook({ overview, status: found, ctx }: StatusLook): Line[] {
  const head = renderOverview(overview);
  if (found === undefined || ctx === undefined) return head;
  const sections = renderStatus(found, timesOf(found, ctx));
  return [...head, '', ...sections, ...describePostgres(ctx), ...notesOf(ctx)];
}

function timesOf({ at }: Status, { config }: CommandContext): ScheduleClock {
  return { now: at, timezone: config.schedule.timezone };
}

/** Names the server of Postgres that is used, and the others of the address. */
function describePostgres({ db }: CommandContext): string[] {
  const used = db.server();
  if (used === undefined) return [];
  return [`PostgreSQL: ${[describeServer(used), ...used.others].join('; not used: ')}`];
}

function notesOf(ctx: CommandContext): string[] {
  return ctx.stores.includes(ctx.postgresStore) ? [] : [describeOthers(ctx)];
}

function describeOthers({ config, kinds }: CommandContext): string {
  const others = listConfiguredKinds(config, kinds).map(({ title }) => title);
  return `${kinds.postgres.option} is off: history is in ${others.join(' and ')} alone`;
}

/** Renders the status. The sections that people ask for most come first. */
export function renderStatus(found: Status, at: ScheduleClock): Line[] {
  const sections: Line[][] = [
    renderBackfills(found),
    renderStreams(found.streams, at),
    renderOtherRuns(found),
    renderCounts(found),
    renderProblems(found),
    renderDrift(found),
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .flatMap((lines, index) => (index > 0 ? ['', ...lines] : lines));
}

function renderBackfills({ backfills }: Status): string[] {
  return backfills.map(
    ({ id, stream, startedAt }) =>
      `run ${id}: a backfill of ${stream}, begun ${formatSecond(startedAt)} (plantsync cancel ${id} ends it)`,
  );
}

/** Renders the runs of history, polls and deliveries. */
function renderOtherRuns({ runs, streams }: Status): Line[] {
  const others = runs.filter((run) => !streams.some(({ stream }) => stream === run.stream));
  if (others.length === 0) return [];
  const rows = others.map(({ stream, kind, status: outcome, startedAt, finishedAt }) => [
    stream,
    cutText(kind, 50),
    formatSecond(startedAt),
    finishedAt === undefined ? '' : formatDuration((finishedAt - startedAt) / 1000),
    outcome,
  ]);
  return [
    makeTable(['stream', { title: 'kind', wrap: 16 }, 'begun', { title: 'took', drop: 1 }, 'outcome'], rows),
  ];
}

function renderCounts(status: Status): string[] {
  const { history, rollups, rejects, outbox, alarms, lostPolledValues, skippedPolls } = status;
  return [
    `series with history: ${formatNumber(history.series)}`,
    ...describeCoverage(history),
    ...(history.series > 0 ? counts('missing series-hours', history.missingHours) : []),
    ...(rollups === undefined ? [] : describeBehind(rollups)),
    ...(rollups !== undefined && rollups.backlogHours > 0 ? [describeBacklog(rollups)] : []),
    ...counts('rejects', rejects),
    ...counts('polls waiting', outbox),
    ...(lostPolledValues > 0
      ? [
          `polled values lost while PostgreSQL was away: ${formatNumber(lostPolledValues)} (plantsync rejects list --stream current)`,
        ]
      : []),
    ...skippedPolls.map(
      ({ kind, skipped, since }) =>
        `polls left out by ${kind}: ${formatNumber(skipped)} since ${formatSecond(since)} (one took longer than its period)`,
    ),
    ...renderAlarms(alarms),
  ];
}

function renderAlarms(alarms: Status['alarms']): string[] {
  if (alarms === undefined) return [];
  const { total, active, unacknowledged, waiting } = alarms;
  const numbers = `${formatNumber(active)} active, ${formatNumber(unacknowledged)} not acknowledged`;
  const late = Object.keys(waiting).length > 0 ? counts('batches of alarm events waiting', waiting) : [];
  return [`alarms: ${formatNumber(total)}, of these ${numbers}`, ...late];
}

function counts(title: string, byName: Readonly<Record<string, number>>): string[] {
  const entries = Object.entries(byName);
  if (entries.length === 0) return [`${title}: none`];
  return entries.map(([name, count]) => `${title} in ${name}: ${formatNumber(count)}`);
}

/** Lists the problems and notes of the newest runs, each in one sentence. */
function listProblems({ runs }: Status): StreamProblems[] {
  const byStream = new Map<string, Set<string>>();
  for (const run of runs)
    for (const problem of problemsOf(run))
      byStream.set(run.stream, (byStream.get(run.stream) ?? new Set()).add(problem));
  return [...byStream].map(([stream, problems]) => ({ stream, problems: [...problems] }));
}

interface StreamProblems {
  readonly stream: string;
  readonly problems: readonly string[];
}

function renderProblems(found: Status): string[] {
  return listProblems(found).flatMap(({ stream, problems }) => {
    const more = problems.length - PROBLEMS_SHOWN;
    return [
      ...problems.slice(0, PROBLEMS_SHOWN).map((problem) => `${stream}: ${problem}`),
      ...(more > 0 ? [`${stream}: and ${plural(more, 'more problem')} (--json lists all)`] : []),
    ];
  });
}

function problemsOf({ status: outcome, summary, error }: RunRecord): string[] {
  const problems = textsOf(summary, 'problems');
  const told = problems.length === 0 && error !== undefined ? [error] : problems;
  return [...told, ...textsOf(summary, 'notes'), ...describeEnd(outcome)];
}

function describeEnd(outcome: RunRecord['status']): string[] {
  if (outcome === 'lost')
    return [
      'the process died, or stood still for too long, before it could tell how its run ended; the next run goes on from there',
    ];
  return outcome === 'interrupted' ? ['the run was interrupted; the next run goes on from there'] : [];
}

/** Reads texts from the summary of a run, which any version of plantsync may have written. */
function textsOf(summary: unknown, member: 'problems' | 'notes'): string[] {
  const texts: unknown = (summary as Record<string, unknown> | null | undefined)?.[member];
  return Array.isArray(texts) ? texts.filter((text) => typeof text === 'string') : [];
}

function renderDrift({ drift }: Status): Line[] {
  if (drift.length === 0) return [];
  // A member that came unexpectedly matters more than a member that never comes.
  const sorted = [
    ...drift.filter(({ kind }) => kind !== 'missing'),
    ...drift.filter(({ kind }) => kind === 'missing'),
  ];
  const rows = sorted
    .slice(0, DRIFT_SHOWN)
    .map(({ table, member, kind, count, since, sample }) => [
      table,
      cutText(member, 30),
      kind,
      count,
      formatSecond(since),
      sample === null || sample === undefined ? '' : cutText(JSON.stringify(sample), 25),
    ]);
  const more = drift.length - DRIFT_SHOWN;
  return [
    'drift: members of the records that are not as declared',
    makeTable(DRIFT_COLUMNS, rows),
    ...(more > 0 ? [`and ${formatNumber(more)} more (--json lists all)`] : []),
  ];
}
