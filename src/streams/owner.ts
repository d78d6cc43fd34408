import type { RawRecord, Stream } from './define.ts';

/**
 * Returns the key columns of a stream that come from the parent's row, each with the name of the column
 * there.
 */
export function ownerColumns({
  key,
  columns,
}: Pick<Stream, 'key' | 'columns'>): { name: string; of: string }[] {
  return columns
    .filter(({ name, source }) => key.includes(name) && source.startsWith('parent.'))
    .map(({ name, source }) => ({ name, of: source.slice('parent.'.length) }));
}

/** Returns the path and query parameters that ask an operation for the parent row with this key. */
export function parametersFor(
  { parent }: Stream,
  key: RawRecord,
): { path: Record<string, string>; query: Record<string, string> } {
  const fill = (parameters: Readonly<Record<string, string>> = {}) =>
    Object.fromEntries(Object.entries(parameters).map(([name, column]) => [name, String(key[column])]));
  return { path: fill(parent?.path), query: fill(parent?.query) };
}
