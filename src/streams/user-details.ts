import { isObject } from '../platform/json/is-object.ts';
import { description, instant, position, showName, text } from './columns.ts';
import { defineStream, type Part } from './define.ts';
import { isAlias, membersOf, readObjects } from './entries.ts';
import { users } from './users.ts';

const readRoles = readObjects('roles', 'name');

/** The roles of each user, by their names. */
const userRoles: Part = {
  name: 'user_roles',
  about: 'Roles of the users, one row for each role of each user.',
  key: ['username', 'role'],
  from: 'roles',
  entries: readRoles,
  // These members describe the role, and not the user who has it.
  ignore: ['showName', 'description', 'createTime', 'createUsername', 'modifyTime', 'modifyUsername'],
  columns: [
    text('username', {
      source: 'parent.username',
      meaning: 'User who has the role.',
      example: 'lina',
      references: 'users.username',
    }),
    text('role', {
      source: 'name',
      meaning: 'Alias of the role.',
      example: 'operator',
      references: 'roles.name',
    }),
    position('roles of the user'),
  ],
};

/** The roles themselves (specification: RoleInfo). */
const roles: Part = {
  name: 'roles',
  about: 'Roles that users have, one row each; a role is deleted when no user is known to have it.',
  key: ['name'],
  from: 'roles',
  shared: true,
  // An entry without a name is refused only once, as a role of its user.
  entries: (record) => readRoles(record)?.filter((entry) => isObject(entry) && isAlias(entry.name)),
  columns: [
    text('name', {
      source: 'name',
      meaning: 'Alias of the role, unique on the platform.',
      example: 'operator',
    }),
    showName('role', 'Operator'),
    description('role', 'May start and stop machines'),
    instant('created_at', {
      source: 'createTime',
      meaning: 'When the role was made on the platform.',
      example: '2019-01-01T08:00:00+08:00',
    }),
    text('created_by', { source: 'createUsername', meaning: 'User who made the role.', example: 'admin' }),
    instant('modified_at', {
      source: 'modifyTime',
      meaning: 'When the role was last changed on the platform.',
      example: '2019-06-01T12:00:00+08:00',
    }),
    text('modified_by', {
      source: 'modifyUsername',
      meaning: 'User who last changed the role.',
      example: 'admin',
    }),
  ],
  // The place among the roles of one user says nothing about the role.
  ignore: ['#position'],
};

/** Person and roles of each user (specification: QueryUser). */
export const userDetails = defineStream({
  name: 'user_details',
  about: 'Person and roles of each user.',
  operation: 'getUser',
  parent: { stream: users, path: { username: 'username' } },
  updates: true,
  key: ['username'],
  ignore: membersOf(users),
  columns: [
    text('username', {
      source: 'parent.username',
      meaning: 'Name of the account, unique on the platform.',
      example: 'lina',
    }),
    text('person', {
      source: 'person.name',
      meaning: 'Alias of the person who has the account; null for an account without a person.',
      example: 'P1001',
      references: 'persons.name',
    }),
    text('person_show_name', {
      source: 'person.showName',
      meaning: 'Name of the person as people read it.',
      example: 'Li Na',
    }),
    text('avatar_path', {
      source: 'uploadUrl',
      meaning: 'Path of the picture of the user.',
      example: '/avatars/7.png',
    }),
  ],
  parts: [userRoles, roles],
});
