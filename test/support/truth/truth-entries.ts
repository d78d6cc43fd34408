import type { DetailOperationId, Truth } from '../../../src/simulator/truth.ts';
import type { PlainRecord } from '../../../src/simulator/values.ts';
import { cleanText, type ExpectedRow, entriesOf, isAskable, TruthReader } from './truth-reader.ts';

/**
 * Returns the reply of an operation for one record. Returns an empty reply where its name cannot be asked
 * for.
 */
export function replyOf(
  truth: Truth,
  operation: DetailOperationId,
  path: Record<string, unknown>,
): PlainRecord {
  if (!Object.values(path).every(isAskable)) return {};
  return truth.reply(operation, { path: path as Record<string, string>, query: { recursion: 'recursion' } });
}

/** Returns the rows of labels, in their order. */
export function labelRows(owner: ExpectedRow, labels: unknown): ExpectedRow[] {
  return entriesOf(labels).map((label, k) => {
    const reader = new TruthReader({ label });
    return { ...owner, position: k + 1, label: reader.text('label'), extra: reader.rest() };
  });
}

export function cleanKey(value: unknown): string | null {
  return value === null || value === undefined ? null : cleanText(String(value));
}
