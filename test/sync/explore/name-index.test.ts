import { describe, expect, it } from 'vitest';
import type { SeriesNames } from '../../../src/load/rows/read-series-names.ts';
import { NameIndex } from '../../../src/sync/explore/name-index.ts';

const names = (object: string, property: string, more: Partial<SeriesNames> = {}): SeriesNames => ({
  ...{ object, property, objectShowName: null, propertyShowName: null },
  ...{ template: null, primitiveType: 'Double' },
  ...more,
});

const found = async (index: NameIndex, question: string, limit = 10) => {
  const { items, total } = await index.find(question, limit);
  return { names: items.map(({ object, property }) => `${object}.${property}`), total };
};

function indexOf(...all: SeriesNames[]): NameIndex {
  const index = new NameIndex();
  index.add(all);
  return index;
}

describe('the index of names', () => {
  const index = indexOf(
    names('pump1', 'temp', { objectShowName: '给水泵 1', propertyShowName: '温度' }),
    names('pump1', 'pressure', { objectShowName: '给水泵 1', propertyShowName: '压力' }),
    names('pump10', 'temp', { propertyShowName: '温度' }),
    names('old-pump1', 'temp', { objectShowName: 'ＦＥＥＤ Pump' }),
    names('a.b', 'c/d'),
  );

  it('takes every word as a part of a name of the object or the property', async () => {
    expect((await found(index, 'pump temp')).names).toEqual(['pump1.temp', 'pump10.temp', 'old-pump1.temp']);
    expect((await found(index, 'pressure pump')).names).toEqual(['pump1.pressure']);
    expect((await found(index, 'pump nothing')).total).toBe(0);
    expect((await found(index, '')).total).toBe(5);
  });

  it('puts equal names before their begins, begins before words in them, and those before the rest', async () => {
    expect((await found(index, 'pump1')).names).toEqual([
      'pump1.temp',
      'pump1.pressure',
      'pump10.temp',
      'old-pump1.temp',
    ]);
    expect((await found(index, 'pump10.temp')).names[0]).toBe('pump10.temp');
    expect((await found(index, 'a.b.c/d')).names).toEqual(['a.b.c/d']);
  });

  it('compares show names too, in any script, without case and width of letters', async () => {
    expect((await found(index, '给水泵 压力')).names).toEqual(['pump1.pressure']);
    expect((await found(index, '温')).total).toBe(2);
    expect((await found(index, 'feed')).names).toEqual(['old-pump1.temp']);
    expect((await found(index, 'ＰＵＭＰ１０ TEMP')).names).toEqual(['pump10.temp']);
  });

  it('lists the best of many properties, and counts all that fit', async () => {
    const large = new NameIndex();
    for (let k = 0; k < 10_000; k += 1)
      large.add(Array.from({ length: 20 }, (_, n) => names(`pump${k}`, `value${n}`)));
    expect(await found(large, 'pump9999 value7', 3)).toEqual({ names: ['pump9999.value7'], total: 1 });
    expect(await found(large, 'value19', 2)).toEqual({
      names: ['pump0.value19', 'pump1.value19'],
      total: 10_000,
    });
  });
});
