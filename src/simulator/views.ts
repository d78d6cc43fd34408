import { type List, listOf, mapList } from './plant/collection.ts';
import { mixText } from './random.ts';
import { notFound } from './refused-call.ts';
import type { PlainRecord } from './values.ts';
import type { World } from './world.ts';

/** The records of a list that the view of a request leaves in it. */
export function viewList({ view, plant }: World, list: List<PlainRecord>): List<PlainRecord> {
  if (view === undefined) return list;
  if (view === 'empty') return listOf([]);
  const places: number[] = [];
  for (let place = 0; place < list.length; place += 1)
    if (!isHidden(plant.seed.seed, String(keyOf(list.at(place))))) places.push(place);
  return mapList(listOf(places), (place) => list.at(place));
}

/** Throws "not found" if the path of a request names a record that its view hides. */
export function checkView({ view, plant }: World, path: Readonly<Record<string, string>>): void {
  if (view !== 'half') return;
  for (const [parameter, key] of Object.entries(path))
    if (isHidden(plant.seed.seed, key)) throw notFound(parameter, key);
}

/** Whether the view `half` hides a record: always the same ones. */
export function isHidden(seed: number, key: string): boolean {
  return mixText(seed, key) % 2 === 0;
}

/** A 10,000-character name, which no index takes. */
const longName = 'endless '.repeat(1_250);

/**
 * A list with what no contract allows at its head: the first record twice, the former time with other values; then entries
 * without a key and with one of 10,000 characters; the first record has a member that nobody has declared.
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
