import { text } from './columns.ts';
import { defineStream } from './define.ts';

/** User accounts of the platform (specification: UserBaseInfo). */
export const users = defineStream({
  name: 'users',
  about: 'User accounts of the platform, one row each.',
  operation: 'listUsers',
  filters: {
    keyword: { kind: 'text', meaning: 'Only users that match this text, as the platform searches.' },
  },
  filled: true,
  key: ['username'],
  columns: [
    text('username', {
      source: 'username',
      meaning: 'Name of the account, unique on the platform.',
      example: 'lina',
    }),
    text('email', { source: 'email', meaning: 'Mail address of the user.', example: 'lina@plant.example' }),
    text('phone', { source: 'phone', meaning: 'Telephone number of the user.', example: '+86 10 1234 5678' }),
    text('time_zone', { source: 'timeZone', meaning: 'Time zone of the user.', example: 'Asia/Shanghai' }),
    text('description', {
      source: 'userDesc',
      meaning: 'Free description of the user.',
      example: 'Shift leader',
    }),
  ],
});
