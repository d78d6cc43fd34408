import { HISTORY } from '../../series/history-stream.ts';
import type { Stream } from '../../streams/define.ts';
import type { SyncContext } from '../context.ts';
import { sizeKeys } from '../history/learn-reply-sizes.ts';
import { ALARMS } from '../stream-names.ts';

/** The parts of the context that a reset needs. */
export type ResetParts = Pick<SyncContext, 'config' | 'ledger'>;

/** What a reset forgot about a stream, or about the platform. The data stays. */
export interface Forgotten {
  readonly name: string;
  /** Number of things that were forgotten, by their name: `unfinished scans` → 1. */
  readonly forgotten: Readonly<Record<string, number>>;
  /** Says in one sentence what the next run does because of the reset. */
  readonly next: string;
}

/** Forgets how far a stream of the directory is. Its next run begins from nothing. */
export async function resetSnapshot({ ledger }: ResetParts, stream: Stream): Promise<Forgotten> {
  const forgotten: Record<string, number> = { 'unfinished scans': await ledger.scans.close(stream.name) };
  const reads = await ledger.reads.forget(stream.name);
  if (stream.parent !== undefined) forgotten[`reads by ${stream.parent.stream.name}`] = reads;
  forgotten['drift entries'] = await ledger.drift.forget(stream.name);
  return {
    name: stream.name,
    forgotten,
    next: `${describeNextScan(stream)}, compares every row, and reports all drift as new`,
  };
}

function describeNextScan({ parent, updates }: Stream): string {
  if (parent === undefined) return 'the next run reads the list from its first page';
  const rows = `all rows of ${parent.stream.name}`;
  return updates ? `the next run reads the details of ${rows}` : `the next run reads the lists of ${rows}`;
}

/**
 * Forgets which history is stored, with its aggregates, in one store or in all. With all stores, also forgets
 * the learned sizes of replies.
 */
export async function resetHistory({ config, ledger }: ResetParts, store?: string): Promise<Forgotten> {
  const covered = await ledger.coverage.forget(HISTORY, store);
  const forgetSizes = (key: string) => ledger.platformFacts.forget(config.platform.baseUrl, key);
  const sizes = store === undefined ? (await Promise.all(sizeKeys.map(forgetSizes))).flat() : undefined;
  return {
    name: HISTORY,
    forgotten: {
      'series and store, covered': covered,
      ...(sizes && { 'learnt sizes': sizes.length }),
    },
    next: `the next run reads all history since history.start again${store === undefined ? '' : ` for ${store}`}; plantsync backfill reads earlier history`,
  };
}

/** Forgets which history of alarms is stored, and when alarms were last polled. */
export async function resetAlarms({ ledger }: ResetParts): Promise<Forgotten> {
  const covered = await ledger.coverage.forget(ALARMS);
  const polls = await ledger.alarmPolls.forget();
  const drift = await ledger.drift.forget(ALARMS);
  return {
    name: ALARMS,
    forgotten: { 'stretches of history, by filter': covered, 'last polls': polls, 'drift entries': drift },
    next: 'the next run reads the history of alarms since alarms.history.start again; plantsync backfill --alarms reads earlier history',
  };
}

/**
 * Forgets everything that was learned about the platform: the sizes of its replies, and the totals that are
 * wrong.
 */
export async function resetPlatform({ config, ledger }: ResetParts): Promise<Forgotten> {
  const keys = await ledger.platformFacts.forget(config.platform.baseUrl);
  return {
    name: config.platform.baseUrl,
    forgotten: Object.fromEntries(keys.map((key) => [`knowledge: ${key}`, 1])),
    next: 'the next runs trust the totals of the platform again, and find out again how large its replies may be',
  };
}
