import type { RawRecord, Stream } from './define.ts';

/** Key columns of a stream that come from the row its list belongs to, each with the column there. */
export function ownerColumns({
  key,
  columns,
}: Pick<Stream, 'key' | 'columns'>): { name: string; of: string }[] {
  return columns
    .filter(({ name, source }) => key.includes(name) && source.startsWith('parent.'))
    .map(({ name, source }) => ({ name, of: source.slice('parent.'.length) }));
}

/** The path and query parameters by which an operation is asked for the row of the parent with this key. */
export function parametersFor(
  { parent }: Stream,
  key: RawRecord,
): { path: Record<string, string>; query: Record<string, string> } {
  const fill = (parameters: Readonly<Record<string, string>> = {}) =>
    Object.fromEntries(Object.entries(parameters).map(([name, column]) => [name, String(key[column])]));
  return { path: fill(parent?.path), query: fill(parent?.query) };
}
