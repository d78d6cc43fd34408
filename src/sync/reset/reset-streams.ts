import { HISTORY } from '../../series/history-stream.ts';
import type { Stream } from '../../streams/define.ts';
import type { SyncContext } from '../context.ts';
import { sizeKeys } from '../history/learn-reply-sizes.ts';
import { ALARMS } from '../stream-names.ts';

/** What a reset needs. */
export type ResetParts = Pick<SyncContext, 'config' | 'ledger'>;

/** What was forgotten of a stream, or of the platform. The data stays. */
export interface Forgotten {
  readonly name: string;
  /** Things forgotten, by what they are: `unfinished scans` → 1. */
  readonly forgotten: Readonly<Record<string, number>>;
  /** One sentence: what the next run does because of it. */
  readonly next: string;
}

/** Forgets how far a snapshot stream is: its next run begins from nothing. */
export async function resetSnapshot({ ledger }: ResetParts, stream: Stream): Promise<Forgotten> {
  const forgotten: Record<string, number> = { 'unfinished scans': await ledger.scans.close(stream.name) };
  if (stream.parent !== undefined)
    forgotten[`reads by ${stream.parent.stream.name}`] = await ledger.reads.forget(stream.name);
  forgotten['drift entries'] = await ledger.drift.forget(stream.name);
  return { name: stream.name, forgotten, next: `${describeNextScan(stream)}, and reports all drift as new` };
}

function describeNextScan({ parent, updates }: Stream): string {
  if (parent === undefined) return 'the next run reads the list from its first page';
  const rows = `all rows of ${parent.stream.name}`;
  return updates ? `the next run reads the details of ${rows}` : `the next run reads the lists of ${rows}`;
}

/** Forgets which history is stored, its aggregates included, in one store or in all, and with all also what was learnt about the sizes of replies. */
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
    next: `the next run reads all history since history.start again${store === undefined ? '' : ` for ${store}`}; what lies before it is read by plantsync backfill`,
  };
}

/** Forgets how far the history of alarms is, and when they were last polled. */
export async function resetAlarms({ ledger }: ResetParts): Promise<Forgotten> {
  const covered = await ledger.coverage.forget(ALARMS);
  const polls = await ledger.alarmPolls.forget();
  const drift = await ledger.drift.forget(ALARMS);
  return {
    name: ALARMS,
    forgotten: { 'stretches of history, by filter': covered, 'last polls': polls, 'drift entries': drift },
    next: 'the next run reads the history of alarms since alarms.history.start again; what lies before it is read by plantsync backfill --alarms',
  };
}

/** Forgets everything that was found out about the platform: sizes of its replies, totals that are wrong. */
export async function resetPlatform({ config, ledger }: ResetParts): Promise<Forgotten> {
  const keys = await ledger.platformFacts.forget(config.platform.baseUrl);
  return {
    name: config.platform.baseUrl,
    forgotten: Object.fromEntries(keys.map((key) => [`knowledge: ${key}`, 1])),
    next: 'the next runs trust the totals of the platform again, and find out anew how large its replies may be',
  };
}
