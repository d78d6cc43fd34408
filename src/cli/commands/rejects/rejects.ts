import { UsageError } from '../../../errors.ts';
import { requireKnown } from '../../../known-names.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import type { RejectRecord } from '../../../ledger/rejects/rejects.ts';
import { HISTORY, parseHistoryStream } from '../../../series/history-stream.ts';
import { formatInstant } from '../../../series/instant.ts';
import { streams } from '../../../streams/index.ts';
import { plural } from '../../../sync/count-text.ts';
import { ALARMS, CURRENT } from '../../../sync/stream-names.ts';
import { type CommonOptions, type Io, print } from '../../io.ts';
import { openSessionDatabase, withSession } from '../../open/session.ts';
import { type Column, cutText, formatNumber, type Line, makeTable } from '../../output/table.ts';
import { describeRange, formatSecond } from '../../output/time.ts';

export interface ListRejectsOptions extends CommonOptions {
  readonly stream?: string;
  readonly all?: boolean;
  readonly limit?: number;
}

/** The streams that may have rejects, without the aggregates of history. */
const rejectingStreams = [...streams.map(({ name }) => name), HISTORY, CURRENT, ALARMS];

/** Throws a `UsageError` if no stream that may have rejects has this name. */
export function requireRejecting(name: string): void {
  if (parseHistoryStream(name) === undefined) requireKnown([name], rejectingStreams);
}

/** The most characters of a key and of a reason in a table. */
export const KEY_LENGTH = 40;
export const REASON_LENGTH = 60;

/** Runs `plantsync rejects list`: lists rejects, the newest first. */
export async function listRejects(io: Io, options: ListRejectsOptions): Promise<number> {
  const { stream, all = false, limit = 100 } = options;
  if (stream !== undefined) requireRejecting(stream);
  return withSession(io, options, async (session) => {
    const { ledger } = await openSessionDatabase(io, session);
    const rejects = await ledger.rejects.list({ stream, state: all ? 'all' : 'open', limit });
    const open = await ledger.rejects.countOpen();
    const total = stream === undefined ? sum(open.values()) : (open.get(stream) ?? 0);
    print(io, options, {
      json: { open: Object.fromEntries(open), rejects: rejects.map(toJson) },
      lines: () => renderList(rejects, { total, all }),
    });
    return 0;
  });
}

const COLUMNS: readonly (Column | string)[] = [
  'id',
  { title: 'stream', cut: 8 },
  { title: 'kind', drop: 2 },
  { title: 'key', cut: 12 },
  { title: 'reason', wrap: 20 },
  'count',
  { title: 'first', drop: 1 },
  { title: 'last', wrap: 10, drop: 3 },
];

function renderList(
  rejects: readonly RejectRecord[],
  { total, all }: { total: number; all: boolean },
): Line[] {
  if (rejects.length === 0 && total === 0) return [all ? 'nothing was ever refused' : 'nothing is refused'];
  const rows = rejects.map(({ id, stream, kind, key, reason, count, at, lastAt, ...reject }) => [
    String(id),
    stream,
    kind,
    cutText(key, KEY_LENGTH),
    cutText(reason, REASON_LENGTH),
    count,
    formatSecond(at),
    formatSecond(lastAt),
    ...(all ? [describeEnd(reject), cutText(reject.note ?? '', REASON_LENGTH)] : []),
  ]);
  const shown = rejects.filter(({ resolved }) => !resolved).length;
  return [
    makeTable(all ? [...COLUMNS, 'settled', { title: 'note', wrap: 10 }] : COLUMNS, rows),
    ...(shown < total ? [`${formatNumber(shown)} of ${plural(total, 'open case')}; --limit shows more`] : []),
  ];
}

/** Describes when and how a case was settled. Returns an empty text for an open case. */
function describeEnd({ resolvedAt, dismissed }: Pick<RejectRecord, 'resolvedAt' | 'dismissed'>): string {
  if (resolvedAt === undefined) return '';
  return dismissed ? `${formatSecond(resolvedAt)} (dismissed)` : formatSecond(resolvedAt);
}

/** Runs `plantsync rejects show`: shows one case in full, with the received record or point. */
export async function showReject(io: Io, id: string, options: CommonOptions): Promise<number> {
  const [number = 0] = parseIds([id]);
  return withSession(io, options, async (session) => {
    const { ledger } = await openSessionDatabase(io, session);
    const [reject] = await readCases(ledger, [number]);
    print(io, options, {
      json: { reject: reject && toJson(reject) },
      lines: () => (reject ? renderCase(reject) : []),
    });
    return 0;
  });
}

function renderCase({ ranges, sample, resolvedAt, ...reject }: RejectRecord): string[] {
  const lines: [string, string][] = [
    ['id', String(reject.id)],
    ['stream', reject.stream],
    ['kind', reject.kind],
    ['key', reject.key],
    ['reason', reject.reason],
    ['count', formatNumber(reject.count)],
    ['first', formatInstant(reject.at)],
    ['last', formatInstant(reject.lastAt)],
    [reject.dismissed ? 'dismissed' : 'settled', resolvedAt === undefined ? 'no' : formatInstant(resolvedAt)],
    ...(reject.note === undefined ? [] : [['note', reject.note] as [string, string]]),
    ...(ranges ?? []).map(({ from, to }): [string, string] => [
      'range',
      `${formatInstant(from)} … ${formatInstant(to)}`,
    ]),
  ];
  return [
    ...lines.map(([name, text]) => `${name.padEnd(9)} ${text}`),
    'sample',
    JSON.stringify(sample, writeBigInts, 2),
  ];
}

/**
 * Parses the numbers of cases on the command line, each once. Throws a `UsageError` that lists texts that are
 * no numbers.
 */
export function parseIds(ids: readonly string[]): number[] {
  const wrong = ids.filter((id) => !/^\d{1,15}$/.test(id));
  if (wrong.length > 0)
    throw new UsageError(
      'usage.wrong_value',
      'Not the number of a case:',
      wrong.map((id) => `${id}; plantsync rejects list shows them`),
    );
  return [...new Set(ids.map(Number))];
}

/** Reads the cases with these numbers. Throws a `UsageError` that lists the numbers that do not exist. */
export async function readCases(ledger: Ledger, ids: readonly number[]): Promise<RejectRecord[]> {
  const found: RejectRecord[] = [];
  const problems: string[] = [];
  for (const id of ids) {
    const reject = await ledger.rejects.get(id);
    if (reject === undefined) problems.push(`${id}; plantsync rejects list --all shows them`);
    else found.push(reject);
  }
  if (problems.length > 0) throw new UsageError('usage.unknown_case', 'There is no such case:', problems);
  return found;
}

/** Returns a case with its times as people and other programs read them. */
export function toJson({ at, lastAt, resolvedAt, ranges, ...reject }: RejectRecord) {
  return {
    ...reject,
    at: formatInstant(at),
    lastAt: formatInstant(lastAt),
    ...(resolvedAt !== undefined && { resolvedAt: formatInstant(resolvedAt) }),
    ...(ranges && { ranges: ranges.map(describeRange) }),
  };
}

function sum(counts: Iterable<number>): number {
  return [...counts].reduce((total, count) => total + count, 0);
}

function writeBigInts(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}
