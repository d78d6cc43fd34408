import { mix, pick } from '../random.ts';
import type { PlainRecord } from '../values.ts';
import { Collection } from './collection.ts';
import { correlationOf } from './create-orgs.ts';
import {
  descriptionOf,
  indexInAlias,
  type PlantSeed,
  personAlias,
  roughen,
  showNameOf,
} from './plant-names.ts';
import type { PlantSize } from './size.ts';

/** A person as the plant keeps it: PersonQueryInfo, with the account's user name instead of the account. */
export interface PersonRecord extends PlainRecord {
  readonly name: string;
  readonly username?: string | undefined;
}

/** A user as the plant keeps it: QueryUser, with the person's alias instead of the person. */
export interface UserRecord extends PlainRecord {
  readonly username: string;
  readonly personName?: string | undefined;
}

const surnames = ['王', '李', '张', '刘', '欧阳', 'Müller ', "O'Neil ", 'Silva ', 'Ng '] as const;
const givenNames = ['伟', '秀英', '建国', 'Anna', 'José', 'Björn', '丽', '😀', 'X Æ'] as const;
const zones = ['Asia/Shanghai', 'Europe/Berlin', 'UTC', ''] as const;

/** Returns false for one user in seven, which is a service account without a person. */
function isPersonal(index: number): boolean {
  return index % 7 !== 6;
}

function usernameOf(index: number): string {
  return index === 0 ? 'admin0' : index % 11 === 5 ? `用户 ${index}@plant` : `user${index}`;
}

/** Creates the persons of a plant. */
export function createPersons(plant: PlantSeed, size: PlantSize): Collection<PersonRecord> {
  const aliasAt = (index: number) => personAlias(plant, index);
  const at = (index: number): PersonRecord => {
    const hash = mix(mix(plant.seed, 22), index);
    const record: PersonRecord = {
      name: aliasAt(index),
      showName: showNameOf(plant, hash, pick(surnames, hash) + pick(givenNames, mix(hash, 1))),
      gender: hash % 2 === 0 ? 'female' : 'male',
      ...(index < size.users && isPersonal(index) ? { username: usernameOf(index) } : {}),
      organizations: hash % 13 === 0 || size.orgs === 0 ? [] : organizationsOf(plant, size, index),
    };
    return roughen(plant, hash, { record, members: ['gender'] });
  };
  return new Collection(
    { count: size.persons, at, indexOf: indexBy(size.persons, aliasAt) },
    (person) => person.name,
  );
}

/**
 * Lists where a person belongs: one node, or two nodes for one person in five. Awkward plants give some nodes
 * as text, or twice.
 */
function organizationsOf(plant: PlantSeed, size: PlantSize, index: number): unknown[] {
  const first = correlationOf(size, index);
  if (index % 5 !== 4) return [plant.awkward && index % 3 === 2 ? first.orgPath : first];
  const second = correlationOf(size, index * 3 + 1);
  return plant.awkward ? [first, { ...second, position: 'chief' }, first] : [first, second];
}

/** Creates the users of a plant. */
export function createUsers(plant: PlantSeed, size: PlantSize): Collection<UserRecord> {
  const at = (index: number): UserRecord => {
    const hash = mix(mix(plant.seed, 23), index);
    const hasPerson = isPersonal(index) && index < size.persons;
    const record: UserRecord = {
      username: usernameOf(index),
      email: hash % 5 === 0 ? '' : `user${index}@plant.example`,
      phone: `+86 1${String(hash).padStart(10, '0')}`,
      timeZone: pick(zones, hash),
      userDesc: index === 0 ? 'administrator' : descriptionOf(plant, mix(hash, 1)),
      uploadUrl: hash % 3 === 0 ? `/avatars/${index}.png` : '',
      roles: index === 0 ? [roleOf(3)] : rolesOf(plant, hash),
      ...(hasPerson ? { personName: personAlias(plant, index) } : {}),
    };
    return roughen(plant, hash, { record, members: ['email', 'phone', 'timeZone', 'userDesc', 'uploadUrl'] });
  };
  return new Collection(
    { count: size.users, at, indexOf: indexBy(size.users, usernameOf) },
    (user) => user.username,
  );
}

/**
 * Lists the roles of a user: one, two or no role. Awkward plants give some roles by their name alone, or
 * twice.
 */
function rolesOf({ awkward }: PlantSeed, hash: number): unknown[] {
  if (hash % 9 === 4) return [];
  const roles: unknown[] = [roleOf(hash % 4), ...(hash % 5 === 0 ? [roleOf(4)] : [])];
  if (awkward && hash % 7 === 3) roles.push('role_5 "guest"');
  return awkward && hash % 7 === 5 ? [...roles, roleOf(hash % 4)] : roles;
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

/** Makes a function that finds the place of a computed record by the number in its key. */
export function indexBy(count: number, keyAt: (index: number) => string): (key: string) => number {
  return (key) => {
    const index = indexInAlias(key);
    return index >= 0 && index < count && keyAt(index) === key ? index : -1;
  };
}
