import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { silentLog } from '../../src/log.ts';
import { type Database, openPostgres } from '../../src/postgres/connect.ts';
import { timestamptzText } from '../../src/postgres/type-parsers.ts';
import { createDatabase, type TestDatabase } from '../support/servers/servers.ts';

let made: TestDatabase;
let db: Database;
beforeAll(async () => {
  made = await createDatabase();
  db = openPostgres(made.options, silentLog);
});
afterAll(async () => {
  await db.close();
  await made.drop();
});

async function read(expression: string, values: unknown[] = []): Promise<unknown> {
  return (await db.query(`select ${expression} as value`, values)).rows[0]?.value;
}

test.each([
  ['9007199254740991::int8', 9007199254740991],
  ['9007199254740993::int8', 9007199254740993n],
  ["'-9223372036854775808'::int8", -9223372036854775808n],
  ["'{1,null,9007199254740993}'::int8[]", [1, null, 9007199254740993n]],
  ["'2024-02-29 12:34:56.000001+08'::timestamptz", 1709181296000001],
  ["'1969-12-31 23:59:59.999999Z'::timestamptz", -1],
  ["'0001-01-01 00:00:00Z'::timestamptz", -62135596800000000],
  ["'0001-12-31 00:00:00Z BC'::timestamptz", -62135683200000000],
  ["'12024-01-01 00:00:00Z'::timestamptz", 317273587200000000],
  ["'infinity'::timestamptz", Number.POSITIVE_INFINITY],
  ["'-infinity'::timestamptz", Number.NEGATIVE_INFINITY],
  ["array['1970-01-01 00:00:01Z', null]::timestamptz[]", [1000000, null]],
  ["'2024-02-29'::date", '2024-02-29'],
  ["'2024-02-29 01:02:03.5'::timestamp", '2024-02-29 01:02:03.5'],
  ["array['2024-02-29 01:02:03']::timestamp[]", ['2024-02-29 01:02:03']],
  ["'1e-7'::numeric", '0.0000001'],
  [
    "'[1970-01-01 00:00:00Z,1970-01-02 00:00:00Z)'::tstzrange",
    '["1970-01-01 00:00:00+00","1970-01-02 00:00:00+00")',
  ],
  ['null::timestamptz', null],
])('%s is read as %s', async (expression, value) => {
  expect(await read(expression)).toEqual(value);
});

test('every instant that is exact in a double survives the way there and back', async () => {
  const instant = fc.integer({ min: -(2 ** 53) + 1, max: 2 ** 53 - 1 });
  await fc.assert(
    fc.asyncProperty(fc.array(instant, { minLength: 1, maxLength: 200 }), async (instants) => {
      expect(await read('$1::timestamptz[]', [instants.map(timestamptzText)])).toEqual(instants);
    }),
    { numRuns: 50 },
  );
  expect(await read('$1::timestamptz', [timestamptzText(Number.POSITIVE_INFINITY)])).toBe(
    Number.POSITIVE_INFINITY,
  );
  expect(await read('$1::timestamptz', [timestamptzText(-62135683200000000)])).toBe(-62135683200000000);
});
