import { mix, pick } from '../random.ts';
import type { PlainRecord } from '../values.ts';
import { Collection } from './collection.ts';
import { aliasOf, indexInAlias, type PlantSeed } from './names.ts';
import { correlationOf } from './orgs.ts';
import type { PlantSize } from './size.ts';

/** A person as the plant keeps it: PersonQueryInfo, with the account's user name in place of the account. */
export interface PersonRecord extends PlainRecord {
  readonly name: string;
  readonly showName: string;
  readonly username?: string | undefined;
}

/** A user as the plant keeps it: QueryUser, with the person's alias in place of the person. */
export interface UserRecord extends PlainRecord {
  readonly username: string;
  readonly personName?: string | undefined;
}

const surnames = ['王', '李', '张', '刘', '欧阳', 'Müller ', "O'Neil ", 'Silva ', 'Ng '] as const;
const givenNames = ['伟', '秀英', '建国', 'Anna', 'José', 'Björn', '丽', '😀', 'X Æ'] as const;
const zones = ['Asia/Shanghai', 'Europe/Berlin', 'UTC', ''] as const;

/** One user in seven is a service account without a person. */
function isPersonal(index: number): boolean {
  return index % 7 !== 6;
}

function usernameOf(index: number): string {
  return index === 0 ? 'admin0' : index % 11 === 5 ? `用户 ${index}@plant` : `user${index}`;
}

/** The persons of a plant. */
export function createPersons(plant: PlantSeed, size: PlantSize): Collection<PersonRecord> {
  const aliasAt = (index: number) => aliasOf({ ...plant, seed: mix(plant.seed, 21) }, 'P', index);
  const at = (index: number): PersonRecord => {
    const hash = mix(mix(plant.seed, 22), index);
    return {
      name: aliasAt(index),
      showName: hash % 17 === 0 ? '' : pick(surnames, hash) + pick(givenNames, mix(hash, 1)),
      gender: hash % 2 === 0 ? 'female' : 'male',
      ...(index < size.users && isPersonal(index) ? { username: usernameOf(index) } : {}),
      organizations: hash % 13 === 0 || size.orgs === 0 ? [] : [correlationOf(size, index)],
    };
  };
  return new Collection(
    { count: size.persons, at, indexOf: indexBy(size.persons, aliasAt) },
    (person) => person.name,
  );
}

/** The users of a plant. */
export function createUsers(plant: PlantSeed, size: PlantSize): Collection<UserRecord> {
  const personAlias = (index: number) => aliasOf({ ...plant, seed: mix(plant.seed, 21) }, 'P', index);
  const at = (index: number): UserRecord => {
    const hash = mix(mix(plant.seed, 23), index);
    const hasPerson = isPersonal(index) && index < size.persons;
    return {
      username: usernameOf(index),
      email: hash % 5 === 0 ? '' : `user${index}@plant.example`,
      phone: `+86 1${String(hash).padStart(10, '0')}`,
      timeZone: pick(zones, hash),
      userDesc: index === 0 ? 'administrator' : '',
      uploadUrl: hash % 3 === 0 ? `/avatars/${index}.png` : '',
      roles: [roleOf(hash % 4), ...(hash % 5 === 0 ? [roleOf(4)] : [])],
      ...(hasPerson ? { personName: personAlias(index) } : {}),
    };
  };
  return new Collection(
    { count: size.users, at, indexOf: indexBy(size.users, usernameOf) },
    (user) => user.username,
  );
}

function roleOf(number: number): object {
  return {
    createTime: '2019-01-01T00:00:00Z',
    createUsername: 'admin0',
    description: `role ${number}`,
    modifyTime: '2019-06-01T12:00:00Z',
    modifyUsername: 'admin0',
    name: `role_${number}`,
    showName: ['操作员', 'Engineer', 'Viewer', '管理员', 'Auditor'][number],
  };
}

/** Finds the place of a computed record by the number in its key. */
export function indexBy(count: number, keyAt: (index: number) => string): (key: string) => number {
  return (key) => {
    const index = indexInAlias(key);
    return index >= 0 && index < count && keyAt(index) === key ? index : -1;
  };
}
