import { describe, expect, it } from 'vitest';
import { createRowNormalizer } from '../../src/normalize/normalize-rows.ts';
import { createInstantParser } from '../../src/series/instant.ts';
import { type Column, type Stream, tableOf } from '../../src/streams/define.ts';
import { listTables } from '../../src/streams/dictionary.ts';
import { documented, streams } from '../../src/streams/index.ts';
import { findMember, listMembers, parametersOf } from './contract-members.ts';

const tables = listTables(documented);
const named = (stream: Stream) => [stream.name, stream] as const;
const parts = streams.flatMap((stream) =>
  (stream.parts ?? []).map((part) => [`${part.name} of ${stream.name}`, part, stream] as const),
);
const columns = tables.flatMap(({ name, columns: all }) =>
  all.map((column) => [`${name}.${column.name}`, column as Column] as const),
);

describe('streams', () => {
  it('stand after their parents, and details right after what they complete', () => {
    for (const [k, { name, parent, updates }] of streams.entries()) {
      if (parent === undefined) continue;
      const at = streams.indexOf(parent.stream);
      expect(at, name).toBeGreaterThanOrEqual(0);
      expect(updates ? k - at : k > at, name).toBe(updates ? 1 : true);
    }
  });

  it('are filled by details where there are any', () => {
    for (const { name, updates, parent } of streams)
      if (updates) expect(parent?.stream.filled, name).toBe(true);
  });

  it('have names of their own, and so have tables', () => {
    expect(new Set(streams.map(({ name }) => name)).size).toBe(streams.length);
    expect(new Set(tables.map(({ name }) => name)).size).toBe(tables.length);
  });

  it('add no column to a table that it has already', () => {
    for (const { name, columns: all } of tables) {
      const names = all.map((column) => column.name);
      expect(names, name).toEqual([...new Set(names)]);
    }
  });

  it.each(streams.map(named))('give %s every path parameter from an existing column', (_, stream) => {
    const { operation, parent } = stream;
    expect(Object.keys(parent?.path ?? {}).sort()).toEqual(parametersOf(operation, 'path').sort());
    const taken = [...Object.values(parent?.path ?? {}), ...Object.values(parent?.query ?? {})];
    const known = parent?.stream.columns.map(({ name }) => name) ?? [];
    expect(known).toEqual(expect.arrayContaining(taken));
  });

  it.each(streams.map(named))('ask for %s with parameters that the operation has', (_, stream) => {
    const asked = [stream.query, stream.parent?.query, stream.filters].flatMap((each) =>
      Object.keys(each ?? {}),
    );
    expect(parametersOf(stream.operation, 'query')).toEqual(expect.arrayContaining(asked));
    expect(new Set(asked).size).toBe(asked.length);
  });

  it.each(streams.filter(({ updates }) => !updates).map(named))(
    'let the configuration set every filter of %s that the operation has',
    (_, stream) => {
      const fixed = ['page', 'per_page', ...Object.keys({ ...stream.query, ...stream.parent?.query })];
      // The persons of single nodes have a stream of their own.
      if (stream.name === 'org_persons') fixed.push('nodeName');
      const open = parametersOf(stream.operation, 'query').filter((name) => !fixed.includes(name));
      expect(Object.keys(stream.filters ?? {}).sort()).toEqual(open.sort());
    },
  );

  it.each(documented.map(named))('read members of %s that the contract has', (_, stream) => {
    for (const { source } of stream.columns)
      if (!source.startsWith('parent.') && !source.startsWith('#'))
        expect(findMember(stream.operation, source), source).toBe(true);
  });

  it.each(documented.map(named))('know every member of %s that the contract has', (_, stream) => {
    const known = [
      ...stream.columns.map(({ source }) => source),
      ...(stream.ignore ?? []),
      ...(stream.parts ?? []).flatMap(({ from }) => from ?? []),
    ].map((path) => path.replace(/[.[].*$/, ''));
    // The children of a node are nodes too.
    if (stream.name === 'network_nodes') known.push('children');
    expect(known).toEqual(expect.arrayContaining(listMembers(stream.operation)));
  });
});

describe('parts', () => {
  it.each(parts)('%s: say where their entries are, as the contract has it', (_, part, { operation }) => {
    expect(part.from).toBeDefined();
    const found = findMember(operation, part.from as string);
    if (!part.optional) expect(found).toBe(true);
    else expect(found).not.toBe('open');
  });

  it.each(parts)('%s: read members that the contract has, or leaves open', (_, part, { operation }) => {
    for (const { source } of part.columns) {
      if (source.startsWith('parent.') || source.startsWith('#')) continue;
      const found = findMember(operation, `${part.from}[].${source}`);
      if (part.open) expect(found, source).not.toBe(true);
      else expect(found, source).toBe(true);
    }
  });

  it.each(parts)('%s: read nothing out of records without them', (_, part) => {
    const entries = part.entries({});
    if (part.optional) expect(entries).toBeUndefined();
    else expect(entries).toEqual([]);
  });
});

describe('columns', () => {
  it.each(columns)('%s has an example of its type', (_, { type, example }) => {
    const value = type === 'jsonb' ? JSON.parse(example) : example;
    const key = { name: 'name', type: 'text', source: 'name', meaning: 'Key.', example: 'a' } as const;
    const column = { name: 'value', type, source: 'value', meaning: 'A value.', example } as const;
    // Without a zone, an example that needs one would throw.
    const normalize = createRowNormalizer(
      { key: ['name'], columns: [key, column] },
      { parseInstant: createInstantParser({}) },
    );
    expect(normalize({ name: 'a', value })).toMatchObject({
      retyped: [],
      row: ['a', expect.anything(), null],
    });
  });

  it.each(columns)('%s has a meaning in one sentence or two', (_, { meaning }) => {
    expect(meaning).toMatch(/^\S.*\.$/);
    expect(meaning).not.toMatch(/\n/);
  });

  it.each(columns.filter(([, { references }]) => references !== undefined))(
    '%s names a column that there is, of its own type',
    (_, { references, type }) => {
      const target = columns.find(([name]) => name === references);
      expect(target?.[1].type, references).toBe(type);
    },
  );

  it('are named like their members', () => {
    const renamed: Record<string, string> = {
      createTime: 'created_at',
      createUsername: 'created_by',
      modifyTime: 'modified_at',
      modifyUsername: 'modified_by',
      userDesc: 'description',
      uploadUrl: 'avatar_path',
      reqired: 'required',
    };
    const odd = streams.flatMap((stream) =>
      stream.columns
        .filter(({ source }) => /^\w+$/.test(source) && source !== 'name')
        .filter(({ name, source }) => name !== (renamed[source] ?? snakeCase(source)))
        .map(({ name }) => `${tableOf(stream)}.${name}`),
    );
    expect(odd).toEqual([]);
  });
});

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
