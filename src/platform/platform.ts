import type { PlatformError } from '../errors.ts';
import type { HistoryRows } from './history/history-rows.ts';
import type { ListOperationId, OperationId } from './operations.ts';
import type { RawInput } from './request.ts';
import type { OperationInput, OperationReply } from './shapes.ts';

/**
 * Which waiting request goes first: `live` for polls, then `sync` for work that is due, then `bulk` for all
 * other work.
 */
export type Priority = 'live' | 'sync' | 'bulk';

/** Options of one call. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** How often a retriable failure is tried again. The default is the client's own number. */
  readonly retries?: number;
  /** Milliseconds for the whole call, retries included. The default is the client's own number. */
  readonly deadlineMs?: number;
  /** `sync` if not given; current values are `live`. */
  readonly priority?: Priority | undefined;
  /** Called for every request of the call, retries included. Requests for a token do not count. */
  readonly onRequest?: () => void;
  /** Whether the digest of the reply's body is told. */
  readonly wantsDigest?: boolean;
}

/** Options of the call for one page of a list. */
export interface PageOptions extends CallOptions {
  /** Digest of a reply whose entries the caller knows. Such a reply is not parsed. */
  readonly knownDigest?: string | undefined;
}

/** The reply to any operation. */
export interface Reply<Id extends OperationId> {
  readonly body: OperationReply<Id>;
  /** Bytes of the reply's body. */
  readonly bytes: number;
  /** Digest of the reply's body, if it was asked for and the body is not too large. */
  readonly digest?: string | undefined;
}

/** The reply to an operation as a person reads it. */
export interface RawReply {
  readonly status: number;
  /**
   * The JSON of the reply, or undefined if there is no JSON. Numbers are `LosslessNumber`s of lossless-json,
   * so that every digit can be written.
   */
  readonly body: unknown;
  /** The Location header: the address of what a write made or changed, or the target of a redirection. */
  readonly location?: string;
  /** Code and state in the redirection of `authorizeCode`. They are secret and belong to the output alone. */
  readonly code?: string;
  readonly state?: string;
}

/** One page of a list, whatever names the platform gives to its members. */
export interface Page {
  readonly items: readonly unknown[];
  /** The number of entries in all, if the reply states a usable one (number or digits). */
  readonly total: number | undefined;
  /** Bytes of the reply's body. */
  readonly bytes: number;
  /** True if a message or code next to the entries reports no success. The entries may be incomplete then. */
  readonly complains?: true;
  /** Digest of the reply's body, if it was asked for and the body is not too large. */
  readonly digest?: string | undefined;
  /** True if the digest is the known one. The page then has no items here, because nothing was parsed. */
  readonly isKnown?: true;
}

/** Raw history of one series in a reply. */
export interface HistoryColumn {
  /** Name of the series as it was asked for: `object.property`, without quotes or function. */
  readonly name: string;
  /** Aggregate function if one was asked for. */
  readonly fn: string | undefined;
  readonly rows: HistoryRows;
  /** Positions of the time and of the value in a row. */
  readonly timeAt: number;
  readonly valueAt: number;
  /** True if several series share the rows. A null then says that this series has no row at that time. */
  readonly sparse: boolean;
}

export interface HistoryRequest {
  /** Series names `object.property`, not quoted. */
  readonly series: readonly string[];
  /** Bounds `[fromSec, toSec)` in epoch seconds, sent as `ge` and `lt`. */
  readonly fromSec: number;
  readonly toSec: number;
  readonly limit: number;
  /** The offset is sent only if it is above 0. */
  readonly offset: number;
  /** Aggregation by the platform: functions, and the period of groupBy in seconds. */
  readonly aggregate?: {
    readonly functions: readonly string[];
    readonly periodSec: number;
    readonly fill?: string;
  };
}

export interface HistoryReply {
  readonly columns: readonly HistoryColumn[];
  readonly bytes: number;
}

/** The current value of one property. A property that the platform does not know comes with `value: null`. */
export interface CurrentValue {
  readonly name: string;
  readonly value: unknown;
  /** Status and time as received, if the reply has them. */
  readonly status: unknown;
  readonly time: unknown;
}

export interface CurrentReply {
  /** Values by the names that were asked for. A name that the reply lacks is not in the map. */
  readonly values: ReadonlyMap<string, CurrentValue>;
  readonly bytes: number;
  /**
   * True if a message or code next to the values reports no success. A null proves nothing then, and is left
   * out.
   */
  readonly complains: boolean;
}

/** Counts of what the client has done so far. They only grow. */
export interface PlatformStats {
  requests: number;
  retries: number;
  /** Calls that failed for good. */
  failures: number;
  bytes: number;
  tokens: number;
  /** Requests that may be under way at once, as adapted to the platform. */
  concurrency: number;
  /** When a request with a token last succeeded, by the clock that nobody sets (`steadyMs`). */
  lastSuccessMs: number | undefined;
}

/**
 * A client of the platform's Open API. Every method retries what may be retried and keeps the token fresh. If
 * a call fails, its method throws a `PlatformError` that says what failed and what to do.
 */
export interface Platform {
  /**
   * Calls any of the 29 operations, typed by the contract. Big integers of a reply come as `bigint`, a bare
   * NaN as the text `NaN`.
   */
  call<Id extends OperationId>(
    id: Id,
    input: OperationInput<Id>,
    options?: CallOptions,
  ): Promise<OperationReply<Id>>;
  /** Does what `call` does, and also returns how many bytes the reply had. */
  read<Id extends OperationId>(id: Id, input: OperationInput<Id>, options?: CallOptions): Promise<Reply<Id>>;
  /**
   * Calls any operation as a person asks for it. A body of `WrittenJson` goes out byte for byte. The reply
   * keeps every digit.
   */
  callRaw(id: OperationId, input: RawInput, options?: CallOptions): Promise<RawReply>;
  /** Reads one page of a list. `page` counts from 1. */
  listPage<Id extends ListOperationId>(
    id: Id,
    input: OperationInput<Id>,
    options?: PageOptions,
  ): Promise<Page>;
  readHistory(request: HistoryRequest, options?: CallOptions): Promise<HistoryReply>;
  readCurrent(names: readonly string[], options?: CallOptions): Promise<CurrentReply>;
  /**
   * Returns the platform's clock minus ours in milliseconds, from `Date` headers. Returns undefined before
   * the first reply.
   */
  clockSkewMs(): number | undefined;
  stats(): Readonly<PlatformStats>;
  /** Tells what is known of the access token, without asking for it. */
  token(): TokenFacts;
  close(): Promise<void>;
}

/** What is known of the access token. It holds nothing of the token itself. */
export interface TokenFacts {
  /** Until when the token is valid, in epoch milliseconds. Undefined without a token. */
  readonly validUntilMs: number | undefined;
  /** Why the platform gave no other token when it was last asked. Undefined if it gave one. */
  readonly refusal: PlatformError | undefined;
}

/** A token as the client keeps it. Times are in epoch milliseconds. */
export interface StoredToken {
  readonly accessToken: string;
  readonly refreshToken: string | undefined;
  readonly issuedAtMs: number;
  readonly expiresAtMs: number;
}

/**
 * Keeps the token: in memory, or in the ledger, where all processes share it. `exchange` stores the token
 * that `renew` returns. `renew` gets the token that is stored at that moment, and no other process can
 * exchange it meanwhile (a row lock).
 */
export interface TokenStore {
  load(): Promise<StoredToken | undefined>;
  exchange(renew: (stored: StoredToken | undefined) => Promise<StoredToken>): Promise<StoredToken>;
}
