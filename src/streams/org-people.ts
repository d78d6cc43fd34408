import { isObject } from '../platform/json/is-object.ts';
import { showName, text } from './columns.ts';
import type { Column, Part } from './define.ts';
import { isAlias, wrapBare } from './entries.ts';

/** Members under which the alias of a person may stand in an entry: the specification does not show them, but speaks of codes. */
const aliasMembers = ['code', 'personCode', 'name'];

/** Columns of a table that names people of an organization. */
export const personColumns: readonly Column[] = [
  text('person', {
    source: '#person',
    meaning: 'Alias of the person: a bare text, or the member code, personCode or name of an entry.',
    example: 'P1001',
    references: 'persons.name',
  }),
  showName('person', 'Li Na'),
];

/** Makes the reader of entries that name people: as bare texts, or as objects with one of the members that may hold the alias. */
export function findPeople(listIn: Part['entries']): Part['entries'] {
  return (record) => listIn(record)?.map((entry) => findPerson(wrapBare(entry, 'code')));
}

function findPerson(entry: unknown): unknown {
  if (!isObject(entry)) return entry;
  const found = aliasMembers.find((member) => isAlias(entry[member]));
  if (found === undefined) return entry;
  const { [found]: person, ...others } = entry;
  return { ...others, '#person': person };
}
