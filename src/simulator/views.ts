import { type List, listOf, mapList } from './plant/collection.ts';
import { mixText } from './random.ts';
import { notFound } from './refused-call.ts';
import type { PlainRecord } from './values.ts';
import type { World } from './world.ts';

/** Returns the records of a list that the view of a request shows. */
export function viewList({ view, plant }: World, list: List<PlainRecord>): List<PlainRecord> {
  if (view === undefined) return list;
  if (view === 'empty') return listOf([]);
  const places: number[] = [];
  for (let place = 0; place < list.length; place += 1)
    if (!isHidden(plant.seed.seed, String(keyOf(list.at(place))))) places.push(place);
  return mapList(listOf(places), (place) => list.at(place));
}

/** Throws "not found" if the path of a request names a record that the view of the request hides. */
export function checkView({ view, plant }: World, path: Readonly<Record<string, string>>): void {
  if (view !== 'half') return;
  for (const [parameter, key] of Object.entries(path))
    if (isHidden(plant.seed.seed, key)) throw notFound(parameter, key);
}

/** Returns true if the view `half` hides a record. The view always hides the same records. */
export function isHidden(seed: number, key: string): boolean {
  return mixText(seed, key) % 2 === 0;
}

/** A name of 10,000 characters, which no index takes. */
const longName = 'endless '.repeat(1_250);

/**
 * Returns a list with records at its head that no contract allows. First comes the first record twice: with
 * other values, and with a member that is not declared. Then come records without a key and with a key of
 * 10,000 characters.
 */
export function malformList(list: List<PlainRecord>, keyMember: 'name' | 'username'): List<PlainRecord> {
  if (list.length === 0) return list;
  const first = list.at(0);
  const head = [
    { ...first, showName: 'an older one', description: 'an older one' },
    { ...first, vendorExtra: { 'a "b"': [1, null, '\u0000'] } },
    { ...first, [keyMember]: null },
    { ...first, [keyMember]: longName },
  ];
  return {
    length: list.length + head.length - 1,
    at: (index) => head[index] ?? list.at(index - head.length + 1),
  };
}

function keyOf(record: PlainRecord): unknown {
  return record.username ?? record.name;
}
