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
  /** Port to listen on; 0, the default, takes a free one. */
  readonly port?: number;
  /** Address to listen on, `127.0.0.1` by default. */
  readonly host?: string;
  /** Path before all operations, for example `/gw`; none by default. */
  readonly pathPrefix?: string;
  /** Equal seeds make equal plants. */
  readonly seed?: number;
  /** A named size, or numbers that differ from `small`. */
  readonly size?: PlantSizeName | Partial<PlantSize>;
  /** Adds what few platforms allow: NUL, dots and line breaks in names, long texts, missing members and odd types, equal and sub-second times. */
  readonly awkward?: boolean;
  /** Adds what no contract allows: entries without a key or with the key of another, and members that nobody has declared. */
  readonly malformed?: boolean;
  /** Start of generated history, epoch milliseconds; 2015-01-01 by default. */
  readonly startMs?: number;
  /** CSV files whose columns become series of objects of their own, with their own times. */
  readonly replay?: readonly ReplayFile[];
  /** The platform's clock, epoch milliseconds. */
  readonly nowMs?: () => number;
  readonly dialect?: Partial<SimulatorDialect>;
  readonly faults?: readonly FaultRule[];
  /** Called when a request comes in, before anything is looked at: the plant may be changed here, in the middle of a list. */
  readonly onRequest?: (operation: OperationId) => void;
  /** How long access tokens live, 7,200 s by default. */
  readonly tokenLifetimeSec?: number;
  readonly appId?: string;
  readonly secret?: string;
  /** Whether `/simulator/…` is served, so that other processes can ask and steer; true by default. */
  readonly control?: boolean;
}

/** A running simulator. */
export interface Simulator {
  /** For `platform.baseUrl`: with the path prefix, without a slash at the end. */
  readonly baseUrl: string;
  readonly appId: string;
  readonly secret: string;
  /** Start of generated history, epoch milliseconds. */
  readonly startMs: number;
  /** What was read from the files of `replay`. */
  readonly replayed: readonly Replayed[];
  readonly truth: Truth;
  /** Counts of requests since the start or the last `resetRequests`. */
  requests(): RequestCounts;
  /** The latest requests, oldest first, without secrets. */
  journal(): readonly JournalEntry[];
  resetRequests(): void;

  dialect(): SimulatorDialect;
  /** Adds to the dialect in force. */
  setDialect(changes: Partial<SimulatorDialect>): void;
  /** Replaces the rules in force. */
  setFaults(rules: readonly FaultRule[]): void;
  /** Makes all access tokens invalid, and refresh tokens too if asked. */
  revokeTokens(options?: { refreshTokens?: boolean }): void;
  setTokenLifetime(seconds: number): void;
  /** The authorization code issued last. */
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
