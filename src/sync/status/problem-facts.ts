import type { Cause } from '../brief-reason.ts';
import type { UnreadSeries } from '../unread-series.ts';

/** Why data is missing. */
export type WhyMissing =
  | { readonly is: 'paused' | 'no-service' | 'backfill' }
  | { readonly is: 'failed'; readonly cause: Cause }
  | ({ readonly is: 'unread' /** Other reasons, of other series. */; readonly more: number } & UnreadSeries);

/** What is missing in stores that lack the same. Series that are late, and ranges that were left out. */
export interface MissingData {
  readonly says: 'missing';
  /** The names of the stores for people. */
  readonly stores: readonly string[];
  readonly late?:
    | {
        readonly series: number;
        readonly bySec?: number | undefined;
        readonly since?: string | undefined;
      }
    | undefined;
  readonly gaps?: { readonly hours: number; readonly series: number; readonly oldest: string } | undefined;
  readonly why?: WhyMissing | undefined;
  /** Whether a process of the service is there to read what is missing. */
  readonly isServed: boolean;
}

/** What is known of a problem, so that it can be said in any language. Times are ISO 8601. */
export type ProblemFacts =
  | { readonly says: 'ledger-unread' | 'ledger-refused'; readonly cause: Cause }
  | { readonly says: 'disk-full'; readonly title: string; readonly since: string }
  | {
      readonly says: 'away';
      readonly name: string;
      readonly title: string;
      readonly since: string;
      readonly behindSec?: number | undefined;
      readonly cause: Cause;
    }
  | { readonly says: 'no-token'; readonly since: string; readonly cause: Cause }
  | {
      readonly says: 'silent';
      readonly role: string;
      readonly pid: number;
      readonly host: string;
      readonly since: string;
    }
  | { readonly says: 'overdue'; readonly job: string; readonly due: string; readonly lateSec: number }
  | { readonly says: 'paused'; readonly target: string; readonly since: string }
  | MissingData
  | {
      readonly says: 'run-failed';
      readonly stream: string;
      readonly begun: string;
      readonly ended: 'failed' | 'partial' | 'lost';
      readonly cause?: Cause | undefined;
    }
  | {
      readonly says: 'differs';
      readonly title: string;
      readonly points: number;
      readonly series: number;
      readonly found: string;
    }
  | { readonly says: 'rejects'; readonly open: number; readonly streams: readonly string[] }
  | { readonly says: 'values-lost'; readonly count: number }
  | { readonly says: 'nothing-read' };
