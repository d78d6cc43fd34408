import {
  type BackendFactory,
  createRedisBackend,
  type JobsOptions,
  type RedisQueueBackend,
  type RepeatOptions,
} from 'bullmq';
import { nextTurn } from '../bullmq/repeat-strategy.ts';

/** Reads the clock that all processes with one Redis share, in epoch milliseconds. */
export type SharedClock = () => Promise<number>;

/** Position of the time among the keys and arguments of each command that tells BullMQ what is due. */
const placeOfTime: Readonly<Record<string, number>> = {
  moveToActive: 12,
  moveToFinished: 15,
  moveToDelayed: 12,
  addJobScheduler: 17,
  updateJobScheduler: 16,
};

/**
 * Makes a backend of BullMQ that goes by the clock of the Redis server. BullMQ itself goes by the clock of
 * each process. So a single wrong clock would take turns too early, and put the next turns where no other
 * process looks.
 */
export function onServerTime(readTime: SharedClock): BackendFactory<RedisQueueBackend> {
  return (name, opts, options) => {
    const backend = createRedisBackend(name, opts, options);
    /** The clock of this process minus the clock of the server. */
    let aheadMs = 0;
    const readNow = async () => {
      const nowMs = await readTime();
      aheadMs = Date.now() - nowMs;
      return nowMs;
    };
    const { execCommand } = backend;
    backend.execCommand = async (client, command, args) => {
      const place = placeOfTime[command];
      const timed = place === undefined ? args : args.with(place, await readNow());
      return execCommand.call(backend, client, command, timed);
    };
    planOnServerTime(backend, readNow);
    waitOnOwnTime(backend, () => aheadMs);
    return backend;
  };
}

/**
 * Plans the next turn of a scheduler by the server's clock, instead of the time that BullMQ computed by the
 * clock of this process.
 */
function planOnServerTime(backend: RedisQueueBackend, readNow: SharedClock): void {
  const { addJobScheduler, updateJobSchedulerNextMillis } = backend;
  // The id of a turn holds its time. When the clock shows a time once more, an ended turn of this time would
  // be in the way.
  const makeRoom = async (jobId: string) => {
    const ended = await Promise.all(
      ['completed', 'failed'].map((state) => backend.isJobInState(state, jobId)),
    );
    if (ended.includes(true)) await backend.remove(jobId, false);
  };
  backend.addJobScheduler = async (id, wantedMs, data, template, repeat, turn, producer) => {
    const nowMs = await readNow();
    const isDue = wantedMs <= Date.now();
    const nextMs = isDue ? nowMs : nextTurn(repeat, nowMs);
    await makeRoom(turnId(id, nextMs));
    return addJobScheduler.call(
      backend,
      id,
      nextMs,
      data,
      template,
      repeat,
      { ...turn, prevMillis: nextMs },
      producer,
    );
  };
  backend.updateJobSchedulerNextMillis = async (id, _, data, turn, producer) => {
    const nextMs = nextTurn(repeatOf(turn), await readNow());
    await makeRoom(turnId(id, nextMs));
    return updateJobSchedulerNextMillis.call(
      backend,
      id,
      nextMs,
      data,
      { ...turn, prevMillis: nextMs },
      producer,
    );
  };
}

/**
 * Returns the pattern of a turn. BullMQ gives it to the turns of a scheduler, although its type does not say
 * so.
 */
function repeatOf({ repeat = {} }: JobsOptions & { repeat?: RepeatOptions }): RepeatOptions {
  return repeat;
}

/**
 * Moves the times in replies to the clock of this process, because BullMQ compares them with this clock to
 * know how long it may wait.
 */
function waitOnOwnTime(backend: RedisQueueBackend, aheadMs: () => number): void {
  const toOwn = (ms: unknown) => (typeof ms === 'number' && ms > 0 ? ms + aheadMs() : ms);
  const { moveToActive, moveToFinished, moveToDelayed, waitForJob } = backend;
  const toOwnTurn = <Reply>(reply: Reply): Reply => {
    if (!Array.isArray(reply) || reply.length === 0) return reply;
    const [turn, id, limitedUntil, delayedUntil] = reply;
    const taken = turn && { ...turn, processedOn: toOwn(turn.processedOn) };
    return [taken, id, limitedUntil, toOwn(delayedUntil)] as Reply;
  };
  backend.moveToActive = async (token, name) => toOwnTurn(await moveToActive.call(backend, token, name));
  backend.moveToFinished = async (id, args) => toOwnTurn(await moveToFinished.call(backend, id, args));
  backend.moveToDelayed = async (...args) => toOwnTurn(await moveToDelayed.apply(backend, args));
  backend.waitForJob = async (seconds) => {
    const woken = await waitForJob.call(backend, seconds);
    return woken && { ...woken, score: toOwn(woken.score) as number };
  };
}

/** Returns the id that BullMQ gives to a turn. */
export function turnId(scheduler: string, ms: number): string {
  return `repeat:${scheduler}:${ms}`;
}
