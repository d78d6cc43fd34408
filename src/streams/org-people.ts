import { isObject } from '../platform/json/is-object.ts';
import { showName, text } from './columns.ts';
import type { Column, Part } from './define.ts';
import { isAlias, wrapBare } from './entries.ts';

/**
 * Members of an entry that may hold the alias of a person. The specification does not show these members, but
 * speaks of codes.
 */
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

/**
 * Makes the reader of entries that name people. An entry is a bare text, or an object with one of the members
 * that may hold the alias.
 */
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
