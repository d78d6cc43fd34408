import { defineStream } from './define.ts';

/** People known to the platform (specification: Persons and users, PersonBaseInfo). */
export const persons = defineStream({
  name: 'persons',
  about: 'People known to the platform, one row each.',
  operation: 'listPersons',
  key: ['name'],
  columns: [
    { name: 'name', type: 'text', source: 'name', meaning: 'Alias of the person, unique on the platform.' },
    { name: 'show_name', type: 'text', source: 'showName', meaning: 'Name of the person as people read it.' },
    { name: 'gender', type: 'text', source: 'gender', meaning: 'male or female, as the platform states it.' },
    {
      name: 'organizations',
      type: 'jsonb',
      source: 'organizations',
      meaning: 'Organizations of the person from the root down, where the platform includes them.',
    },
  ],
});
