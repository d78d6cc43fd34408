import { nextRunOf, type ScheduleClock } from '../../../../jobs/next-run-of-stream.ts';
import type { RunRecord } from '../../../ledger/runs.ts';
import type { SeenServer } from '../../../postgres/connect.ts';
import { formatInstant } from '../../../series/instant.ts';
import type { Status } from '../../../sync/status/read-status.ts';

/** Returns the status for JSON, with all times as ISO 8601 in UTC. */
export function statusJson(found: Status, at: ScheduleClock) {
  return {
    ...found,
    at: formatInstant(found.at),
    streams: found.streams.map((stream) => ({
      ...stream,
      last: stream.last && runJson(stream.last),
      goodAt: timeOf(stream.goodAt),
      nextAt: timeOf(nextRunOf(stream, at)),
    })),
    runs: found.runs.map(runJson),
    backfills: found.backfills.map(runJson),
    services: found.services.map(({ startedAt, beatAt, overdue, ...service }) => ({
      ...service,
      startedAt: formatInstant(startedAt),
      beatAt: formatInstant(beatAt),
      overdue: overdue.map(({ dueMs, ...job }) => ({ ...job, dueAt: formatInstant(dueMs * 1000) })),
    })),
    pauses: found.pauses.map((pause) => ({ ...pause, since: formatInstant(pause.since) })),
    rollups: found.rollups && { ...found.rollups, oldest: timeOf(found.rollups.oldest ?? undefined) ?? null },
    drift: found.drift.map((member) => ({
      ...member,
      since: formatInstant(member.since),
      lastAt: formatInstant(member.lastAt),
    })),
    skippedPolls: found.skippedPolls.map((polls) => ({ ...polls, since: formatInstant(polls.since) })),
  };
}

/** Returns the server of Postgres that is used for JSON. */
export function serverJson(used: SeenServer | undefined) {
  if (used === undefined) return undefined;
  const { host, port, version, isReplica, identity, others } = used;
  const role = isReplica ? 'replica' : 'primary';
  return { host, port, version, role, timeline: identity?.timeline, others };
}

function runJson({ startedAt, finishedAt, ...run }: RunRecord) {
  return { ...run, startedAt: formatInstant(startedAt), finishedAt: timeOf(finishedAt) };
}

/** Formats a time. Cut to whole microseconds, because plans of the future may have parts of them. */
function timeOf(micros: number | undefined): string | undefined {
  return micros === undefined ? undefined : formatInstant(Math.floor(micros));
}
