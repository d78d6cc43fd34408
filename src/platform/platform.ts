import type { HistoryRows } from './history/history-rows.ts';
import type { ListOperationId, OperationId } from './operations.ts';
import type { RawInput } from './request.ts';
import type { OperationInput, OperationReply } from './shapes.ts';

/** Whose request goes first where several wait: those of polls, of what is due, of what may take its time. */
export type Priority = 'live' | 'sync' | 'bulk';

/** Options of one call. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** How often a retriable failure is tried again; by default the client's own number. */
  readonly retries?: number;
  /** Milliseconds for the whole call, retries included; by default the client's own. */
  readonly deadlineMs?: number;
  /** `sync` if not given; current values are `live`. */
  readonly priority?: Priority | undefined;
  /** Told of every request that is sent for the call, retries included, those for a token not. */
  readonly onRequest?: () => void;
}

/** The reply to any operation. */
export interface Reply<Id extends OperationId> {
  readonly body: OperationReply<Id>;
  /** Bytes of the reply's body. */
  readonly bytes: number;
}

/** The reply to an operation as a person reads it. */
export interface RawReply {
  readonly status: number;
  /** Numbers are `LosslessNumber`s of lossless-json, so that every digit can be written; undefined where there is no JSON. */
  readonly body: unknown;
  /** The Location header: the address of what a write made or changed, or where a redirection leads. */
  readonly location?: string;
  /** What the redirection of `authorizeCode` carries. Secret: it belongs to the output alone. */
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
  /** A message or code that reports no success stands beside the entries, so that they may not be all. */
  readonly complains?: true;
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
  /** True where the rows are shared by several series: a null then says that this series has no row at that time. */
  readonly sparse: boolean;
}

export interface HistoryRequest {
  /** Series names `object.property`, not quoted. */
  readonly series: readonly string[];
  /** Bounds `[fromSec, toSec)` in epoch seconds, sent as `ge` and `lt`. */
  readonly fromSec: number;
  readonly toSec: number;
  readonly limit: number;
  /** Sent only if above 0. */
  readonly offset: number;
  /** Server-side aggregation: functions, and the period of groupBy in seconds. */
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
  /** Values by the names that were asked; a name that the reply lacks is not in the map. */
  readonly values: ReadonlyMap<string, CurrentValue>;
  readonly bytes: number;
  /** A message or code that reports no success stands beside the values, so that a null among them proves nothing and is left out. */
  readonly complains: boolean;
}

/** What the client has done so far; counts only grow. */
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
 * The platform's Open API as a client. Every method retries what may be retried, keeps the token fresh and throws
 * a `PlatformError` that says what failed and what to do.
 */
export interface Platform {
  /** Any of the 29 operations, typed by the contract. Big integers of a reply come as `bigint`, bare NaN as the text `NaN`. */
  call<Id extends OperationId>(
    id: Id,
    input: OperationInput<Id>,
    options?: CallOptions,
  ): Promise<OperationReply<Id>>;
  /** As `call`, for a reader who counts the bytes of replies. */
  read<Id extends OperationId>(id: Id, input: OperationInput<Id>, options?: CallOptions): Promise<Reply<Id>>;
  /** Any operation as a person asks for it: a body of `WrittenJson` goes out byte for byte, the reply keeps every digit. */
  callRaw(id: OperationId, input: RawInput, options?: CallOptions): Promise<RawReply>;
  /** One page of a list; `page` counts from 1. */
  listPage<Id extends ListOperationId>(
    id: Id,
    input: OperationInput<Id>,
    options?: CallOptions,
  ): Promise<Page>;
  readHistory(request: HistoryRequest, options?: CallOptions): Promise<HistoryReply>;
  readCurrent(names: readonly string[], options?: CallOptions): Promise<CurrentReply>;
  /** The platform's clock minus ours in milliseconds, from `Date` headers; undefined before the first reply. */
  clockSkewMs(): number | undefined;
  stats(): Readonly<PlatformStats>;
  close(): Promise<void>;
}

/** A token as the client keeps it. Times in epoch milliseconds. */
export interface StoredToken {
  readonly accessToken: string;
  readonly refreshToken: string | undefined;
  readonly issuedAtMs: number;
  readonly expiresAtMs: number;
}

/**
 * Where the token lives: in memory, or in the ledger, shared by all processes. `exchange` runs `renew` while no other
 * process can (a row lock), and stores what it returns; it is given the token stored at that moment.
 */
export interface TokenStore {
  load(): Promise<StoredToken | undefined>;
  exchange(renew: (stored: StoredToken | undefined) => Promise<StoredToken>): Promise<StoredToken>;
}
