import { HttpError } from '@influxdata/influxdb-client';
import { Breaks } from '../../../breaks.ts';
import { confirmFence } from '../../../postgres/fence.ts';
import { type Chunk, ownerOf } from './chunks.ts';
import type { InfluxTarget } from './options.ts';
import type { InfluxRefusals } from './refused-points.ts';
import type { InfluxClient } from './write-client.ts';
import {
  droppedLines,
  explainReply,
  kindOfReply,
  type RetryClock,
  retryDelayMs,
  storeErrorOf,
} from './write-replies.ts';

/** The most requests for one chunk whose lines are refused in part. */
const MAX_SEARCH_REQUESTS = 64;

export interface ChunkWriter {
  readonly client: Pick<InfluxClient, 'send'>;
  readonly target: InfluxTarget;
  readonly retryClock: RetryClock;
  readonly refusals: InfluxRefusals;
  /** Is called with the length of a body that was too large, so that the next chunks are cut smaller. */
  readonly onTooLarge: (length: number) => void;
}

/** The lines `[from, to)` of a chunk. */
interface Lines {
  readonly chunk: Chunk;
  readonly from: number;
  readonly to: number;
}

/**
 * Writes one chunk. Resolves when the server has acknowledged every line that it did not refuse for good.
 * Refused lines are added to the refusals.
 *
 * A body that is too large is halved. Refused lines are found by halving as well, since the server names at
 * most one of them. Accepted lines may be sent again, because equal lines are one point.
 *
 * Throws a `StoreError`: `stop` if the lines cannot be told apart in 64 requests or the login is refused,
 * `retry` if the server stays away.
 */
export async function writeChunk(chunk: Chunk, writer: ChunkWriter): Promise<void> {
  const search = { requests: 1 };
  const whole = { chunk, from: 0, to: chunk.starts.length };
  const reply = await sendPatiently(whole, writer);
  if (reply !== undefined) await divide(whole, reply, { ...writer, search });
}

type Searching = ChunkWriter & { readonly search: { requests: number } };

/** Writes lines to which the server has answered `reply`, or would if they were sent as one body. */
async function divide(part: Lines, reply: HttpError, writer: Searching): Promise<void> {
  const { from, to } = part;
  if (to - from === 1 || refusesAll(reply, part)) return refuse(part, reply, writer);
  const tooLarge = kindOfReply(reply) === 'size';
  if (tooLarge) writer.onTooLarge(bytesOf(part).length);
  const middle = Math.ceil((from + to) / 2);
  const first = { ...part, to: middle };
  const second = { ...part, from: middle };
  const firstReply = await sendHalf(first, reply, writer);
  if (firstReply !== undefined) await divide(first, firstReply, writer);
  // If the first half is accepted, the whole was refused for its second half, and no request is needed. A
  // size tells nothing about the halves.
  const secondReply = firstReply === undefined && !tooLarge ? reply : await sendHalf(second, reply, writer);
  if (secondReply !== undefined) await divide(second, secondReply, writer);
}

async function sendHalf(half: Lines, reply: HttpError, writer: Searching): Promise<HttpError | undefined> {
  if (kindOfReply(reply) === 'content' && ++writer.search.requests > MAX_SEARCH_REQUESTS)
    throw storeErrorOf(reply, writer.target);
  return sendPatiently(half, writer);
}

/**
 * Sends lines until there is an answer about them. Resolves to undefined if they were accepted, else to the
 * refusing reply.
 */
async function sendPatiently(
  part: Lines,
  { client, target, retryClock }: ChunkWriter,
): Promise<HttpError | undefined> {
  const body = bytesOf(part);
  const deadline = retryClock.now() + target.retryForMs;
  for (let attempt = 0; ; attempt++) {
    await confirmFence();
    try {
      await client.send(body);
      return undefined;
    } catch (error) {
      const kind = kindOfReply(error);
      if (error instanceof HttpError && (kind === 'content' || kind === 'size')) return error;
      const delayMs = retryDelayMs(error, attempt, retryClock);
      if (kind !== 'busy' || retryClock.now() + delayMs > deadline) throw storeErrorOf(error, target);
      await retryClock.sleep(delayMs);
    }
  }
}

/**
 * Tells whether the reply refuses all lines. Points older than the retention are refused by the thousand. The
 * server counts them, so they need no search.
 */
function refusesAll(reply: HttpError, part: Lines): boolean {
  return /retention policy/i.test(reply.body ?? '') && droppedLines(reply) === part.to - part.from;
}

async function refuse(part: Lines, reply: HttpError, { refusals, target }: ChunkWriter): Promise<void> {
  const reason = explainReply(reply, target);
  const breaks = new Breaks();
  for (let i = part.from; i < part.to; i += 1) {
    if (breaks.dueAt(i)) await breaks.take();
    const series = ownerOf(part.chunk, i);
    if (series === undefined) continue;
    const line = bytesOf({ ...part, from: i, to: i + 1 }).toString();
    const end = line.lastIndexOf(' ');
    refusals.add({
      series,
      reason,
      timeUs: Number(line.slice(end + 1)),
      fields: fieldsOf(line.slice(0, end)),
    });
  }
}

/** Returns the part of a line after its key, which ends at the first space that is not escaped. */
function fieldsOf(line: string): string {
  return /(?<!\\) (.*)$/s.exec(line)?.[1] ?? line;
}

/** Returns the bytes of lines, without the line break at the end. */
function bytesOf({ chunk: { bytes, starts }, from, to }: Lines): Buffer {
  return bytes.subarray(starts[from], (starts[to] ?? bytes.length) - 1);
}
