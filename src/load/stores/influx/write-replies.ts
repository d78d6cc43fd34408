import { HttpError } from '@influxdata/influxdb-client';
import { jitteredBackoffMs, retryAfterMs } from '../../../backoff.ts';
import type { CodeOf } from '../../../error-codes/error-codes.ts';
import { type Action, messageOf, StoreError } from '../../../errors.ts';
import { MissingDatabaseError } from '../missing-database.ts';
import type { InfluxTarget } from './options.ts';

const MAX_REASON_CHARACTERS = 300;
/** The waits before a write is tried again. */
const RETRY_WAITS = { firstMs: 250, longestMs: 5_000 };

/** The clock, sleep and chance for retries. They are parameters so that tests need no time. */
export interface RetryClock {
  /** Returns epoch milliseconds. */
  now(): number;
  sleep(delayMs: number): Promise<void>;
  /** Returns a number in `[0, 1)`. */
  random(): number;
}

/**
 * The kind of a failed write:
 * - `content`: the server read the body and refuses it or a part of it (400; 422 of 2.x; 201 with a text of
 *   3.x).
 * - `size`: the body is too large (413).
 * - `busy`: the server is away or asks to wait; the same body may be accepted later.
 * - `login`: the credentials are refused.
 * - `other`: no write will succeed until somebody acts, for example because the database is gone.
 */
export type ReplyKind = 'content' | 'size' | 'busy' | 'login' | 'other';

export function kindOfReply(error: unknown): ReplyKind {
  if (!(error instanceof HttpError)) return 'busy';
  const status = error.statusCode;
  if (status === 413) return 'size';
  if (status === 400 || status === 422 || status === 201) return 'content';
  if (status === 401 || status === 403) return 'login';
  return status >= 500 || status === 408 || status === 425 || status === 429 ? 'busy' : 'other';
}

/** Returns the message of the server, or of the network, cut to a length for people. */
export function explainReply(error: unknown, { redact }: Pick<InfluxTarget, 'redact'>): string {
  if (!(error instanceof HttpError)) return messageOf(error) || systemCodeOf(error);
  const words = redact(wordsOf(error.body ?? '') || error.statusMessage || error.message);
  return `${shorten(withoutCounts(words))} (HTTP ${error.statusCode})`;
}

/**
 * Leaves out how many points were dropped, and which. That differs with every request, but one reason must
 * stay one reason. 2.x says `dropped 2 points outside … - oldest point …`; both end in `dropped=2`.
 */
function withoutCounts(words: string): string {
  return words
    .replace(/( - oldest point .*)? dropped=\d+\b.*$/s, '')
    .replace(/\bdropped \d+ points\b/, 'dropped points');
}

/** Cuts the middle out of a long text: a server may quote a whole line, with the reason at its end. */
function shorten(text: string): string {
  const half = MAX_REASON_CHARACTERS / 2;
  return text.length <= MAX_REASON_CHARACTERS ? text : `${text.slice(0, half)} … ${text.slice(-half)}`;
}

/**
 * Returns the number of lines that a "partial write" of 1.x or 2.x dropped. Returns undefined if the reply
 * has no number.
 */
export function droppedLines(error: HttpError): number | undefined {
  const dropped = /\bdropped=(\d+)/.exec(error.body ?? '')?.[1];
  return dropped === undefined ? undefined : Number(dropped);
}

/**
 * Returns the wait before the next attempt: full jitter over a doubling span, and at least the server's
 * `Retry-After`.
 */
export function retryDelayMs(error: unknown, attempt: number, clock: RetryClock): number {
  // The client itself takes the seconds of the header for milliseconds.
  const header = error instanceof HttpError ? error.headers?.['retry-after'] : undefined;
  const askedMs = typeof header === 'string' ? retryAfterMs(header, clock.now()) : undefined;
  return Math.max(jitteredBackoffMs(RETRY_WAITS, attempt, clock.random), askedMs ?? 0);
}

/** Creates the error of a write that cannot go on. Its message names the server and the remedy. */
export function storeErrorOf(error: unknown, target: InfluxTarget): StoreError {
  const failure = `${target.label} did not take a write: ${explainReply(error, target)}`;
  const fail = (code: CodeOf<'influx'>, remedy: string, action: Action = 'stop'): StoreError =>
    new StoreError(code, `${failure}. ${remedy}`, { action, cause: error });
  switch (kindOfReply(error)) {
    case 'login':
      return fail('influx.unauthorized', remedyOfLogin(target));
    case 'busy':
      return fail(
        error instanceof HttpError ? 'influx.overloaded' : 'influx.unreachable',
        `It was tried for ${target.retryForMs / 1_000} s.`,
        'retry',
      );
    case 'content':
      return fail(
        'influx.refused_points',
        'The server refuses more lines of one request than plantsync can tell apart: remove the cause first.',
      );
    default:
      // 1.x answers 404 where the database was dropped since the last write.
      if (target.options.version === 1 && error instanceof HttpError && error.statusCode === 404)
        return new MissingDatabaseError('influx.missing_database', `${failure}. Check influx.database.`, {
          label: target.label,
          cause: error,
        });
      return fail('influx.refused_write', 'Check the address and that the database or bucket exists.');
  }
}

export function remedyOfLogin({ options }: InfluxTarget): string {
  return options.version === 1
    ? 'Check username and password, and that the user may write to the database.'
    : 'Check the token, and that it may write to the bucket.';
}

/**
 * Returns the message in a reply: `error` (1.x, 3.x) or `message` (2.x). 3.x adds `data` with the reason of
 * the first refused line.
 */
function wordsOf(body: string): string {
  let reply: unknown;
  try {
    reply = JSON.parse(body);
  } catch {
    return body.trim();
  }
  if (typeof reply !== 'object' || reply === null) return body.trim();
  const { error, message, data } = reply as { error?: unknown; message?: unknown; data?: unknown };
  const detail: unknown = Array.isArray(data) ? data[0]?.error_message : undefined;
  return [message ?? error, detail].filter((part) => typeof part === 'string').join(': ') || body.trim();
}

/** A refused connection to a host with two addresses has no message, only a code. */
function systemCodeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : 'connection failed';
}
