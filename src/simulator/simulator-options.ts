import type { OperationId } from '../platform/operations.ts';
import type { FaultRule } from './faults.ts';
import type { JournalEntry, RequestCounts } from './journal.ts';
import type { Change } from './plant/apply-change.ts';
import type { GivenObject, GivenProperty } from './plant/plant.ts';
import type { GivenAlarm } from './plant/plant-alarms.ts';
import type { PlantSize, PlantSizeName } from './plant/size.ts';
import type { ReplayFile } from './recorded/read-table.ts';
import type { Replayed } from './recorded/recorded-series.ts';
import type { GivenPoint } from './signals/stored.ts';
import type { SimulatorDialect } from './simulator-dialect.ts';
import type { Truth } from './truth.ts';

export interface SimulatorOptions {
  /** The port to listen on. The default, 0, takes a free port. */
  readonly port?: number;
  /** The address to listen on. The default is `127.0.0.1`. */
  readonly host?: string;
  /** The path before all operations, for example `/gw`. The default is no path. */
  readonly pathPrefix?: string;
  /** Equal seeds make equal plants. */
  readonly seed?: number;
  /** A named size, or numbers that differ from `small`. */
  readonly size?: PlantSizeName | Partial<PlantSize>;
  /**
   * Adds what few platforms allow: NUL, dots and line breaks in names, long texts, missing members, odd
   * types, equal times, and times below a second.
   */
  readonly awkward?: boolean;
  /**
   * Adds what no contract allows: records without a key or with the key of another, and members that are not
   * declared.
   */
  readonly malformed?: boolean;
  /** The start of generated history in epoch milliseconds. The default is 2015-01-01. */
  readonly startMs?: number;
  /** CSV files whose columns become series of objects of their own, with their own times. */
  readonly replay?: readonly ReplayFile[];
  /** The platform's clock, in epoch milliseconds. */
  readonly nowMs?: () => number;
  readonly dialect?: Partial<SimulatorDialect>;
  readonly faults?: readonly FaultRule[];
  /** Called for a request before anything is done. The plant may be changed here, in the middle of a list. */
  readonly onRequest?: (operation: OperationId) => void;
  /** How long access tokens live. The default is 7,200 s. */
  readonly tokenLifetimeSec?: number;
  readonly appId?: string;
  readonly secret?: string;
  /** Whether `/simulator/…` is served, so that other processes can ask and steer. The default is true. */
  readonly control?: boolean;
}

/** A running simulator. */
export interface Simulator {
  /** The value for `platform.baseUrl`, with the path prefix, without a slash at the end. */
  readonly baseUrl: string;
  readonly appId: string;
  readonly secret: string;
  /** The start of generated history, in epoch milliseconds. */
  readonly startMs: number;
  /** What was read from the files of `replay`. */
  readonly replayed: readonly Replayed[];
  readonly truth: Truth;
  /** Returns counts of requests since the start or the last `resetRequests`. */
  requests(): RequestCounts;
  /** Returns the latest requests, oldest first, without secrets. */
  journal(): readonly JournalEntry[];
  resetRequests(): void;

  dialect(): SimulatorDialect;
  /** Adds changes to the dialect in force. */
  setDialect(changes: Partial<SimulatorDialect>): void;
  /** Replaces the rules in force. */
  setFaults(rules: readonly FaultRule[]): void;
  /** Makes all access tokens invalid, and with `refreshTokens` those too. */
  revokeTokens(options?: { refreshTokens?: boolean }): void;
  setTokenLifetime(seconds: number): void;
  /** Returns the authorization code that was issued last. */
  lastCode(): string | undefined;

  /** Adds, changes, renames or removes a record. */
  change(change: Change): void;
  addObject(object: GivenObject): void;
  addProperty(object: string, property: GivenProperty): void;
  addPoints(series: string, points: Iterable<GivenPoint>): void;
  /** Raises an alarm (now, unless `raisedMs` says otherwise) and returns its id. */
  raiseAlarm(alarm: GivenAlarm): number;
  acknowledgeAlarm(id: number, user?: string, atMs?: number): void;
  clearAlarm(id: number, atMs?: number): void;

  close(): Promise<void>;
}
