import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestLedger, type TestLedger } from './test-ledger.ts';

let opened: TestLedger;
beforeAll(async () => {
  opened = await openTestLedger();
});
afterAll(() => opened.close());

const names = fc.string({ unit: 'grapheme', maxLength: 12 }).map((name) => name.replaceAll('\0', ''));
const items = fc.array(
  fc.record({ object: names, property: names, primitiveType: fc.constantFrom('Double', 'String', null) }),
  { maxLength: 20 },
);

test('every item gets the number of its object and property, in the order asked, whatever the names', async () => {
  const numbers = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(items, async (asked) => {
      const registered = await opened.ledger.series.register(asked);
      expect(registered.map(({ object, property }) => [object, property])).toEqual(
        asked.map(({ object, property }) => [object, property]),
      );
      for (const { id, object, property } of registered) {
        const name = JSON.stringify([object, property]);
        expect(numbers.get(name) ?? id).toBe(id);
        numbers.set(name, id);
      }
    }),
    { numRuns: 40 },
  );
  expect(new Set(numbers.values()).size).toBe(numbers.size);
});

test('registering again writes nothing, and an undeclared type does not hide a declared one', async () => {
  const { series } = opened.ledger;
  const stamp = async () =>
    (await opened.db.query("select xmin::text, xmax::text, * from plant.series where object = 'pump'")).rows;
  const asked = [{ object: 'pump', property: 'temp', primitiveType: 'Double' }];
  await series.register(asked);
  const before = await stamp();
  expect(before).toHaveLength(1);
  await series.register(asked);
  const [undeclared] = await series.register([{ object: 'pump', property: 'temp', primitiveType: null }]);
  expect(undeclared?.primitiveType).toBe('Double');
  expect(await stamp()).toEqual(before);
  const [changed] = await series.register([{ object: 'pump', property: 'temp', primitiveType: 'Integer' }]);
  expect(changed).toEqual({ ...undeclared, primitiveType: 'Integer' });
});

test('a vanished series is not listed, and comes back with its number when it is registered', async () => {
  const { series } = opened.ledger;
  const asked = [{ object: 'ghost', property: 'temp', primitiveType: null }];
  const [ghost] = await series.register(asked);
  await opened.db.query("update plant.series set vanished_at = now() where object = 'ghost'");
  expect(await series.list()).not.toContainEqual(ghost);
  expect(await series.register(asked)).toEqual([ghost]);
  expect(await series.list()).toContainEqual(ghost);
});

test('a name finds every series that it may be the name of, also one that vanished', async () => {
  const { series } = opened.ledger;
  const [first, second, other] = await series.register(
    [
      ['line.one', 'temp'],
      ['line', 'one.temp'],
      ['line', 'two'],
    ].map(([object = '', property = '']) => ({ object, property, primitiveType: null })),
  );
  await opened.db.query('update plant.series set vanished_at = now() where series_id = $1', [second?.id]);
  const found = await series.findByName(['line.one.temp', 'nowhere.temp']);
  expect(found).toHaveLength(2);
  expect(found).toEqual(expect.arrayContaining([first, second]));
  expect(await series.findByName(['line.two'])).toEqual([other]);
});

test('many at once register the same series as one', async () => {
  const asked = Array.from({ length: 500 }, (_, i) => ({
    object: `o${i}`,
    property: 'p',
    primitiveType: 'Double',
  }));
  const all = await Promise.all(
    [asked, asked.toReversed(), asked, asked.toReversed()].map((each) => opened.ledger.series.register(each)),
  );
  const sorted = all.map((series) => series.map((one) => one.id).sort((a, b) => a - b));
  expect(new Set(sorted.map((ids) => ids.join())).size).toBe(1);
});

test('25,000 series are registered in one call', async () => {
  const asked = Array.from({ length: 25_000 }, (_, i) => ({
    object: 'big',
    property: `p${i}`,
    primitiveType: 'Double',
  }));
  const registered = await opened.ledger.series.register(asked);
  expect(registered.map((series) => series.property)).toEqual(asked.map((item) => item.property));
});
