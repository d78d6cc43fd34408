import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRecordNormalizer } from '../../src/normalize/records.ts';
import { createInstantParser } from '../../src/series/instant.ts';
import { defineStream, type Part } from '../../src/streams/define.ts';
import { streams } from '../../src/streams/index.ts';

const parseInstant = createInstantParser({ timezone: 'UTC' });
const text = (name: string, source: string) =>
  ({ name, type: 'text', source, meaning: 'A text.', example: 'a' }) as const;

const tags: Part = {
  name: 'tags',
  about: 'Tags for tests.',
  key: ['thing', 'tag'],
  from: 'tags',
  entries: ({ tags }) => tags as unknown[] | undefined,
  columns: [
    text('thing', 'parent.name'),
    text('tag', 'name'),
    { name: 'weight', type: 'integer', source: 'weight', meaning: 'A number.', example: '1' },
  ],
};
const things = defineStream({
  name: 'things',
  about: 'Things for tests.',
  operation: 'listObjects',
  key: ['name'],
  columns: [text('name', 'name')],
  parts: [tags],
});
const normalize = createRecordNormalizer(things, { parseInstant });

describe('records', () => {
  it('become a row, and rows of their parts with the key of the record as it is stored', () => {
    expect(normalize({ name: 'a\0', tags: [{ name: 'x', weight: 1 }], more: 1 })).toEqual({
      row: ['a\uFFFD', { more: 1 }],
      retyped: [],
      replaced: ['name'],
      parts: [[['a\uFFFD', 'x', 1, null]]],
      rejects: [],
    });
  });

  it('say nothing of a part whose entries are undefined', () => {
    expect(normalize({ name: 'a' })).toMatchObject({ parts: [undefined], row: ['a', null] });
  });

  it('name what was noticed in a part with its table, once', () => {
    const entry = { name: 'x\0', weight: 'heavy' };
    expect(normalize({ name: 'a', tags: [entry, { ...entry, name: 'y\0' }] })).toMatchObject({
      retyped: ['tags.weight'],
      replaced: ['tags.tag'],
    });
  });

  it('keep the entries that can be used beside those that cannot', () => {
    const deep = JSON.parse(`{"name":"x","y":${'['.repeat(3_000)}${']'.repeat(3_000)}}`);
    expect(
      normalize({ name: 'a', tags: [null, { name: 'x' }, { '#made': 1, no: 'name' }, deep] }),
    ).toMatchObject({
      parts: [[['a', 'x', null, null]]],
      rejects: [
        { table: 'tags', reason: 'the entry is not an object', sample: null },
        { table: 'tags', reason: expect.stringContaining('no usable name'), sample: { no: 'name' } },
        { table: 'tags', reason: expect.stringContaining('nested deeper') },
      ],
    });
  });

  it('are refused with all their parts where their key cannot be used', () => {
    expect(normalize({ tags: [{ name: 'x' }] })).toEqual({
      reject: expect.stringContaining('no usable name'),
    });
  });

  it('end with the record as it came where that is kept; its parts do not', () => {
    const keeping = createRecordNormalizer(things, { parseInstant, keepRaw: true });
    const record = { name: 'a', tags: [{ name: 'x' }] };
    expect(keeping(record)).toMatchObject({ row: ['a', null, record], parts: [[['a', 'x', null, null]]] });
  });

  it.each(streams.map((stream) => [stream.name, stream] as const))(
    'of %s lose no value, whatever members they have',
    (_, stream) => {
      const normalizeAny = createRecordNormalizer(stream, { parseInstant });
      // Members that a base or another stream reads are ignored on purpose.
      const ignored = new Set(stream.ignore);
      const parent = { name: 'p', org: 'o', username: 'u' };
      fc.assert(
        fc.property(anyRecord(stream), (record) => {
          const normalized = normalizeAny(record, parent);
          if ('reject' in normalized) return;
          const kept = leavesOf([
            normalized.row,
            normalized.parts,
            normalized.rejects.map(({ sample }) => sample),
          ]);
          for (const [member, value] of Object.entries(record))
            if (!ignored.has(member)) for (const leaf of leavesOf(value)) expect(kept).toContain(leaf);
        }),
        { numRuns: 150 },
      );
    },
  );
});

/** Makes records with members of the stream and other members. All values are different. */
function anyRecord(stream: (typeof streams)[number]): fc.Arbitrary<Record<string, unknown>> {
  const paths = [
    ...stream.columns.map(({ source }) => source),
    ...(stream.parts ?? []).flatMap((part) => [
      part.from ?? '',
      ...part.columns.map(({ source }) => `${part.from}[].${source}`),
    ]),
  ].filter((path) => !/^parent\.|#|\[\]\.parent\./.test(path));
  const members = [...new Set(paths.flatMap((path) => path.split(/[.[\]]+/)))];
  const key = fc.constantFrom(...members, 'other', '__proto__', 'constructor');
  let serial = 0;
  const leaf = fc.constantFrom('t', 'n').map((kind) => {
    serial += 1;
    // The number is too large for a time, which would be stored in another form.
    return kind === 't' ? `text ${serial}` : 2e17 + serial * 64;
  });
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      leaf,
      fc.array(tie('value'), { maxLength: 3 }),
      fc.uniqueArray(fc.tuple(key, tie('value')), { maxLength: 5, selector: ([name]) => name }).map(asRecord),
    ),
  }));
  const named = fc.tuple(
    leaf,
    fc.uniqueArray(fc.tuple(key, value), { maxLength: 8, selector: ([name]) => name }),
  );
  return named.map(([name, entries]) => asRecord([...entries, ['name', name], ['username', name]]));
}

/**
 * Makes an object from its members. Unlike an assignment this makes `__proto__` an ordinary member, as
 * parsing JSON does.
 */
function asRecord(entries: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  return Object.fromEntries(entries);
}

/** Returns the texts of all values inside a value, because a number may have become a text. */
function leavesOf(value: unknown): string[] {
  if (value === null || value === undefined) return [];
  return typeof value === 'object' ? Object.values(value).flatMap(leavesOf) : [String(value)];
}
