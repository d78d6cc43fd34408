import { text } from './columns.ts';
import { defineStream } from './define.ts';
import { membersOf } from './entries.ts';
import { personOrganizations, persons } from './persons.ts';

/** Account and organizations of each person (specification: PersonQueryInfo). */
export const personDetails = defineStream({
  name: 'person_details',
  about: 'Account and organizations of each person.',
  operation: 'getPerson',
  parent: { stream: persons, path: { name: 'name' } },
  updates: true,
  key: ['name'],
  ignore: membersOf(persons).filter((member) => member !== 'organizations'),
  columns: [
    text('name', {
      source: 'parent.name',
      meaning: 'Alias of the person, unique on the platform.',
      example: 'P1001',
    }),
    text('username', {
      source: 'account.username',
      meaning: 'User account of the person; null if the person has no account.',
      example: 'lina',
      references: 'users.username',
    }),
    text('account_email', {
      source: 'account.email',
      meaning: 'Mail address of the account.',
      example: 'lina@plant.example',
    }),
    text('account_phone', {
      source: 'account.phone',
      meaning: 'Telephone number of the account.',
      example: '+86 10 1234 5678',
    }),
    text('account_time_zone', {
      source: 'account.timeZone',
      meaning: 'Time zone of the account.',
      example: 'Asia/Shanghai',
    }),
    text('account_description', {
      source: 'account.userDesc',
      meaning: 'Free description of the account.',
      example: 'Shift leader',
    }),
  ],
  parts: [personOrganizations],
});
