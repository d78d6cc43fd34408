import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseHistoryJson } from '../../../src/platform/history/history-json.ts';
import { PackedRows } from '../../../src/platform/history/history-rows.ts';
import { isObject } from '../../../src/platform/json/is-object.ts';
import { parseJson } from '../../../src/platform/json/json.ts';
import { createInstantParser } from '../../../src/series/instant.ts';

const parseInstant = createInstantParser({ timezone: 'Europe/Berlin' });

interface Body {
  results: { datas: unknown }[];
}

function parse(text: string): Body {
  return parseHistoryJson(Buffer.from(text)) as Body;
}

function tryTo<T>(parsing: () => T): T | undefined {
  try {
    return parsing();
  } catch {
    return undefined;
  }
}

/**
 * Expects that both ways to read a reply give the same cells, and the same instants if they are read at once.
 * Both refuse the same texts.
 */
async function expectSame(text: string): Promise<void> {
  // Half of a surrogate pair has no bytes of its own.
  const expected = tryTo(() => parseJson(Buffer.from(text).toString()) as Body);
  if (expected === undefined) {
    expect(() => parse(text)).toThrow(SyntaxError);
    return;
  }
  const tables: PackedRows[] = [];
  expect(await unpackRows(parse(text), tables)).toEqual(expected);
  for (const packed of tables) {
    const rows = await packed.list();
    expect(packed).toHaveLength(rows.length);
    for (let at = 0; at < (rows[0]?.length ?? 0); at += 1) {
      const cells = rows.map((row) => row[at]);
      const instants = packed.instants(at);
      if (instants === undefined) expect(packed.values(at)).toEqual(cells);
      else expect(instants).toEqual(cells.map(parseInstant));
    }
  }
}

/** Returns a value whose packed rows have become lists, wherever they lie, and notes these rows. */
async function unpackRows(value: unknown, tables: PackedRows[]): Promise<unknown> {
  if (value instanceof PackedRows) {
    tables.push(value);
    return value.list();
  }
  if (Array.isArray(value)) return Promise.all(value.map((each) => unpackRows(each, tables)));
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(async ([name, each]) => [name, await unpackRows(each, tables)]);
  return Object.fromEntries(await Promise.all(members));
}

const times = fc
  .date({ min: new Date('1900-01-01T00:00:00Z'), max: new Date('2100-01-01T00:00:00Z'), noInvalidDate: true })
  .chain((date) => {
    const plain = date.toISOString().slice(0, 19);
    const fraction = fc.stringMatching(/^\.[0-9]{1,9}$/);
    return fc.oneof(
      fc.constant(`"${plain}Z"`),
      fraction.map((digits) => `"${plain}${digits}Z"`),
      fc.constantFrom(
        `"${plain}+02:00"`,
        `"${plain}"`,
        `"${plain.replace('T', ' ')}Z"`,
        String(date.getTime()),
      ),
    );
  });
const numbers = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => JSON.stringify(number)),
  fc.integer().map(String),
  fc.stringMatching(/^-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,20})?([eE][+-]?[0-9]{1,3})?$/),
);
const texts = fc.oneof(
  fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text)),
  fc.string({ unit: 'grapheme' }).map((text) => JSON.stringify(text)),
  fc
    .array(
      fc.constantFrom(
        '\\\\',
        '\\"',
        '\\/',
        '\\u00e9',
        '\\ud83d\\ude00',
        '\\ud83d',
        '1234567890123456789',
        '"]'.slice(1),
      ),
    )
    .map((parts) => `"${parts.join('')}"`),
);
const others = fc.constantFrom(
  'null',
  'true',
  'false',
  'nul',
  '1234567890123456789',
  '"2024-05-01T08:00:00Z"',
  '"on"',
  '"\\"datas\\":[[1]]"',
  'NaN',
  '[1]',
  '{"datas":[[1,2]]}',
  '"2024-02-30T00:00:00Z"',
);
const space = fc.constantFrom('', '', '', ' ', '\n  ', '\t');

/** Tables in which each column is of one kind, except for a few cells. */
const tables = fc
  .array(fc.constantFrom(times, numbers, texts), { minLength: 1, maxLength: 4 })
  .chain((kinds) => {
    const cells = kinds.map((kind) =>
      fc.oneof({ weight: 30, arbitrary: kind }, { weight: 1, arbitrary: others }),
    );
    return fc.tuple(fc.array(fc.tuple(...cells), { maxLength: 8 }), space);
  })
  .map(([rows, gap]) => `[${rows.map((row) => `${gap}[${row.join(`${gap},`)}${gap}]`).join(',')}${gap}]`);

describe('a history reply that is read from its bytes', () => {
  it('holds what the parser of JSON finds', async () => {
    const replies = fc.array(fc.tuple(tables, space), { maxLength: 4 }).map((items) => {
      const results = items.map(
        ([table, gap]) => `{"name":"é","datas"${gap}:${gap}${table},"fields":["time"]}`,
      );
      return `{"code":"800000","results":[${results.join(',')}],"message":"\\"datas\\":[[1,2]]"}`;
    });
    await fc.assert(fc.asyncProperty(replies, expectSame), { numRuns: 100 });
    const broken = fc
      .tuple(replies, fc.nat({ max: 400 }), fc.constantFrom('', '"', ',', '0', ']', '\\', '\u0001'))
      .map(([reply, at, instead]) => `${reply.slice(0, at)}${instead}${reply.slice(at + 1)}`);
    const cut = fc.tuple(replies, fc.nat({ max: 400 })).map(([reply, at]) => reply.slice(0, at));
    await fc.assert(fc.asyncProperty(fc.oneof(broken, cut), expectSame), { numRuns: 100 });
  });

  it('keeps every digit of whole numbers', () => {
    const whole = fc.oneof(
      fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }),
      fc.bigInt({ min: 2n ** 53n - 5n, max: 2n ** 53n + 5n }),
      fc.constantFrom(2n ** 63n - 1n, -(2n ** 63n), 10n ** 19n - 1n, 10n ** 15n, 10n ** 18n + 1n),
    );
    const read = (text: string) => {
      const datas = parse(`{"results":[{"datas":[[${text}]]}]}`).results[0]?.datas;
      return datas instanceof PackedRows ? datas.values(0) : undefined;
    };
    fc.assert(
      fc.property(whole, (number) => {
        const expected = Number.isSafeInteger(Number(number)) ? Number(number) : number;
        expect(read(String(number))).toEqual([expected]);
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ['times and numbers', '[["2024-05-01T08:00:00Z",1.5],["2024-05-01T08:00:01.25Z",-0]]'],
    [
      'columns in another order, and nulls',
      '[[1e3,null,"2024-05-01T08:00:00Z"],[2.5E-3,7,"2024-05-01T08:00:01Z"]]',
    ],
    ['whole numbers that are too long for a double', '[[12345678901234567],[-9007199254740991],[1e22]]'],
    ['no rows', '[ ]'],
    ['texts', '[["2024-05-01T08:00:00Z","on"],["2024-05-01T08:00:01Z","\\u0041\\"\\\\é\ud83d\ude00"]]'],
    [
      'texts, numbers, nulls and booleans',
      '[[1,true],["1",null],[null,-0.5],[12345678901234567,"NaN"],[7,false]]',
    ],
    ['times without an offset', '[["2024-05-01T08:00:00",1]]'],
    ['days that do not exist', '[["2024-02-30T08:00:00Z",1]]'],
  ])('is packed where it has %s', (_, table) => {
    const text = `{"results":[{"datas":${table}}]}`;
    expect(parse(text).results[0]?.datas).toBeInstanceOf(PackedRows);
    return expectSame(text);
  });

  it.each([
    ['rows of several lengths', '[[1,2],[1]]'],
    ['times and other texts', '[["2024-05-01T08:00:00Z",1],["2024-05-01T08:00:00",1]]'],
    ['decimals beyond the doubles', '[["2024-05-01T08:00:00Z",-1.5e400]]'],
    ['bare NaN', '[["2024-05-01T08:00:00Z",NaN]]'],
  ])('is left to the parser of JSON where it has %s', (_, table) => {
    const text = `{"results":[{"datas":${table}}]}`;
    expect(parse(text).results[0]?.datas).toBeInstanceOf(Array);
    return expectSame(text);
  });

  it.each([
    '{"results":[{"datas":[["2024-05-01T08:00:00Z",1]',
    '{"results":[{"datas":[["2024-05-01T08:00:00Z",1]]',
    '{"results":[{"datas":[[01]]}]}',
    '{"results":[{"datas":[[1.]]}]}',
    '{"results":[{"datas":[[1,]]}]}',
    '{"results":[{"datas":[[1],]}]}',
    '{"results":[{"datas":[[-]]}]}',
    '{"results":[{"datas":[["a\\"]]}]}',
    '{"results":[{"datas":[["\\x"]]}]}',
    '{"results":[{"datas":[["\n"]]}]}',
    '{"results":[{"datas":[["a","b"',
    '{"results":[{"datas":[[nul]]}]}',
    '',
  ])('is refused where it is broken: %s', (text) => {
    expect(() => parse(text)).toThrow(SyntaxError);
  });

  it('is not taken in by rows that only look like packed ones', () => {
    const text = '{"results":[{"datas":{"packed":5}},{"datas":[[1]]}]}';
    expect(parse(text).results[0]?.datas).toEqual({ packed: 5 });
  });
});
