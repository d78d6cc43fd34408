import { setTimeout as wait } from 'node:timers/promises';
import { StoreError } from '../../../errors.ts';
import type { Logger } from '../../../log.ts';
import type { SeriesPoints } from '../../../series/types.ts';
import type { PointStore, WriteResult } from '../store.ts';
import { cutChunks, heldOf } from './chunks.ts';
import { describeInfluxRead } from './describe-read.ts';
import { createEventStore } from './events.ts';
import { createLineEncoder, type LineEncoder } from './line-protocol.ts';
import { createEncoders, placeOfStream } from './measurements.ts';
import { type InfluxOptions, type InfluxTarget, influxStoreId, resolveInfluxOptions } from './options.ts';
import { prepareInflux } from './prepare.ts';
import { openInfluxHttp } from './query-client.ts';
import { readInflux, readInfluxPage } from './read.ts';
import { reduceInfluxNumbers, reduceInfluxTexts } from './reduce.ts';
import { collectRefusals } from './refused-points.ts';
import { removeInflux } from './remove.ts';
import { findSurplus } from './surplus.ts';
import { type ChunkWriter, writeChunk } from './write.ts';
import { openInfluxClient } from './write-client.ts';
import type { RetryClock } from './write-replies.ts';

export interface InfluxStore extends PointStore {
  /**
   * Returns how long the server keeps points, once `prepare` has run. Returns undefined if it keeps them for
   * ever. Older points are refused.
   */
  retentionMs(): number | undefined;
}

/** Returns the clock of this machine. Aborting the signal ends the waits before retries. */
export function openRetryClock(signal?: AbortSignal): RetryClock {
  return {
    now: Date.now,
    sleep: (delayMs) =>
      wait(delayMs, undefined, { ...(signal && { signal }) }).catch((error: unknown) => {
        if (!signal?.aborted) throw error;
        throw new StoreError('influx.unreachable', 'InfluxDB is away, and the wait for it was ended', {
          action: 'retry',
        });
      }),
    random: Math.random,
  };
}

/**
 * Opens InfluxDB 1.x, 2.x or 3.x as a store. A write is done when the server has acknowledged every chunk of
 * it. Then `commit` is called, and not at all if anything failed. Writing the same points again changes
 * nothing. Throws a `UsageError` for impossible options. Nothing is sent before the first call.
 */
export function createInfluxStore(
  options: InfluxOptions,
  log: Logger,
  retryClock: RetryClock = openRetryClock(),
): InfluxStore {
  const target = resolveInfluxOptions(options);
  const client = openInfluxClient(target);
  const http = openInfluxHttp(target);
  const limit = watchSize(target, log);
  const writePoints = createPointWriter({ client, target, retryClock, limit });
  const encoderOf = createEncoders(target);
  const placeOf = (stream: string) => ({ http, target, ...placeOfStream(target, stream) });
  const polls = createLineEncoder(target.polledMeasurement, target.tags);
  let retentionMs = options.retentionMs;
  return {
    kind: 'influx',
    id: influxStoreId(target),
    events: createEventStore(target, {
      id: influxStoreId({ ...target, measurement: target.alarmMeasurement }),
      writeChunk: (chunk, refusals) =>
        writeChunk(chunk, { client, target, retryClock, refusals, onTooLarge: limit.onTooLarge }),
    }),
    retentionMs: () => retentionMs,
    async prepare() {
      const { made, ...found } = await prepareInflux(http, target, log);
      retentionMs = found.retentionMs;
      return made;
    },
    async write(batch, commit) {
      const result = await writePoints(encoderOf(batch.stream), batch.series);
      await commit(undefined, result.refused);
      return result;
    },
    async writePolls(points, commit) {
      const result = await writePoints(polls, points);
      await commit?.(undefined, points);
      return result;
    },
    held: (stream, points) => heldOf(points, encoderOf(stream)),
    read: (stretch) => readInflux(placeOf(stretch.stream), stretch),
    readPage: (page) => readInfluxPage(placeOf(page.stream), page),
    reduceNumbers: (reduction) => reduceInfluxNumbers(placeOf(reduction.stream), reduction),
    reduceTexts: (reduction) => reduceInfluxTexts(placeOf(reduction.stream), reduction),
    describeRead: (stretch) => ({
      language: 'influxql',
      database: target.place,
      text: describeInfluxRead(placeOf(stretch.stream), stretch),
    }),
    // Version 3 has no way to remove single points.
    ...(options.version !== 3 && {
      surplus: ({ stream, ...batch }) => findSurplus(placeOf(stream), batch),
      remove: (stream, removals, uncover) => removeInflux(placeOf(stream), removals, uncover),
    }),
    async close() {
      client.close();
      await http.close();
    },
  };
}

type Destination = Pick<ChunkWriter, 'client' | 'target' | 'retryClock'> & { readonly limit: SizeLimit };
type PointWriter = (encoder: LineEncoder, points: readonly SeriesPoints[]) => Promise<WriteResult>;

interface SizeLimit {
  readonly maxLength: () => number;
  readonly onTooLarge: (length: number) => void;
}

/** Remembers the size of request that the server accepts. */
function watchSize(target: InfluxTarget, log: Logger): SizeLimit {
  let maxLength = target.batchBytes;
  return {
    maxLength: () => maxLength,
    onTooLarge: (length) => {
      maxLength = Math.max(1, Math.min(maxLength, Math.ceil(length / 2)));
      log.warn(
        { store: target.label, bytes: maxLength },
        'a request was too large for InfluxDB: the next requests are smaller',
      );
    },
  };
}

/** Creates the function that writes points chunk by chunk. */
function createPointWriter({ client, target, retryClock, limit }: Destination): PointWriter {
  const { maxLength, onTooLarge } = limit;
  return async (encoder, points) => {
    const refusals = collectRefusals();
    const source = { encoder, points, maxLines: target.batchLines, maxLength, refusals };
    let written = 0;
    let skipped = 0;
    for await (const chunk of cutChunks(source)) {
      const refusedBefore = refusals.count;
      if (chunk.starts.length > 0)
        await writeChunk(chunk, { client, target, retryClock, refusals, onTooLarge });
      written += chunk.starts.length - (refusals.count - refusedBefore);
      skipped += chunk.skipped;
    }
    return { written, skipped, refused: refusals.list() };
  };
}
