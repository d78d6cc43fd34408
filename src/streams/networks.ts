import { description, showName, text } from './columns.ts';
import { defineStream } from './define.ts';

/** Networks of the production architecture (specification: NetworkBaseInfo). */
export const networks = defineStream({
  name: 'networks',
  about: 'Networks of the production architecture (factory models), one row each.',
  operation: 'listNetworks',
  key: ['name'],
  columns: [
    text('name', {
      source: 'name',
      meaning: 'Alias of the network, unique on the platform.',
      example: 'factory',
    }),
    showName('network', 'Factory Hangzhou'),
    description('network', 'Lines and machines of the factory'),
  ],
});
