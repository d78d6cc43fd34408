import { operations } from '../platform/operations.ts';
import { type Column, type Filter, type Part, type Stream, tableOf } from './define.ts';
import { drawDiagram } from './diagram.ts';
import { dictionaryIntroduction } from './dictionary-introduction.ts';

/** A table with all columns that any stream declares of it. */
export interface DictionaryTable {
  readonly name: string;
  readonly about: string;
  readonly key: readonly string[];
  readonly columns: readonly (Column & { readonly shownSource: string })[];
  readonly readBy: readonly Stream[];
  /** The part that declares the table. Undefined for the table of a stream. */
  readonly part: Part | undefined;
}

/**
 * Lists all tables: each stream's own, with the columns of its details, then the tables of the parts of both.
 */
export function listTables(streams: readonly Stream[]): DictionaryTable[] {
  const bases = streams.filter((stream) => !stream.updates);
  return bases.flatMap((base) => {
    const readBy = streams.filter((stream) => tableOf(stream) === base.name);
    const columns = readBy.flatMap((stream) =>
      stream.columns
        .filter(({ name }) => stream === base || !base.key.includes(name))
        .map((column) => ({ ...column, shownSource: showSource(column.source, stream) })),
    );
    const computed = [...(base.computed ?? []), ...(base.tree ? [base.tree.path, base.tree.depth] : [])];
    const own: DictionaryTable = {
      ...base,
      columns: [...columns, ...computed.map((column) => ({ ...column, shownSource: 'computed' }))],
      readBy,
      part: undefined,
    };
    return [own, ...listParts(readBy)];
  });
}

function listParts(readBy: readonly Stream[]): DictionaryTable[] {
  const parts = new Set(readBy.flatMap((stream) => stream.parts ?? []));
  return [...parts].map((part) => {
    const readers = readBy.filter((stream) => stream.parts?.includes(part));
    const owner = readers[0] as Stream;
    const columns = part.columns.map((column) => ({
      ...column,
      shownSource: showPartSource(column.source, part, owner),
    }));
    return { ...part, columns, readBy: readers, part };
  });
}

function showSource(source: string, stream: Stream): string {
  if (source.startsWith('#')) return 'computed';
  if (!source.startsWith('parent.')) return code(source);
  return `${code(source.slice('parent.'.length))} of ${code(stream.parent === undefined ? '' : tableOf(stream.parent.stream))}`;
}

function showPartSource(source: string, { from = '' }: Part, owner: Stream): string {
  if (source.startsWith('parent.'))
    return `${code(source.slice('parent.'.length))} of ${code(tableOf(owner))}`;
  if (source === '#position') return `place in ${code(from)}`;
  if (source === '#value' || source === '#person') return code(`${from}[]`);
  if (source === '#service') return code('services[].name');
  return source.startsWith('#') ? 'computed' : code(`${from}[].${source}`);
}

/** Renders the page `docs/data-dictionary.md`: the tables of these streams, and the links between them. */
export function renderDictionary(streams: readonly Stream[]): string {
  const tables = listTables(streams);
  return [
    ...dictionaryIntroduction,
    '',
    '## How the tables hang together',
    '',
    ...drawDiagram(tables),
    '',
    '## Tables',
    '',
    ...tables.map(({ name, about }) => `- [\`${name}\`](#${name}): ${about}`),
    ...tables.flatMap(renderTable),
    '',
  ].join('\n');
}

function renderTable({ name, about, key, columns, readBy, part }: DictionaryTable): string[] {
  return [
    '',
    `### ${name}`,
    '',
    about,
    '',
    `Key: ${key.map(code).join(', ')}.`,
    '',
    ...readBy.map((stream) => renderReader(stream, part)),
    ...(part === undefined ? readBy.flatMap(renderFilters) : []),
    '',
    '| column | type | source | meaning | example |',
    '|---|---|---|---|---|',
    ...columns.map(renderColumn),
  ];
}

function renderReader(stream: Stream, part: Part | undefined): string {
  const { method, path } = operations[stream.operation];
  const query = Object.entries(stream.query ?? {}).map(([name, value]) => `${name}=${value}`);
  const fromParent = Object.keys(stream.parent?.query ?? {}).map((name) => `${name}={${name}}`);
  const suffix = [...query, ...fromParent].join('&');
  const request = code(`${method} ${path}${suffix === '' ? '' : `?${suffix}`}`);
  const member = part?.from === undefined ? '' : `, member ${code(part.from)}`;
  const perRow =
    stream.parent === undefined ? '' : `, once for each row of ${code(tableOf(stream.parent.stream))}`;
  return `- Stream ${code(stream.name)}: ${request}${perRow}${member}.`;
}

function renderFilters({ filters = {} }: Stream): string[] {
  const lines = Object.entries(filters).map(
    ([name, filter]) => `  - ${code(name)} (${kinds[filter.kind]}${showDefault(filter)}): ${filter.meaning}`,
  );
  return lines.length === 0 ? [] : ['- Filters that can be set:', ...lines];
}

const kinds = { text: 'a text', texts: 'a list of texts', boolean: 'true or false' } as const;

function showDefault({ default: value }: Filter): string {
  return value === undefined ? '' : `, by default ${JSON.stringify(value)}`;
}

function renderColumn({
  name,
  type,
  shownSource,
  meaning,
  example,
  references,
}: Column & { shownSource: string }): string {
  const names = references === undefined ? '' : ` Names a row of ${code(references)}.`;
  const cells = [code(name), type, shownSource, meaning + names, code(example)];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

function code(text: string): string {
  return `\`${text}\``;
}
