import { expect, it } from 'vitest';
import { runCommand } from '../../support/program/run-command.ts';
import { onlyStreams } from '../../support/stream-switches.ts';
import { makeStubPlant } from '../../support/stub/stub-plant.ts';

const pump = { name: 'pump1', templateName: 'Pump' };

it('a node of a network is one row, with a filter by template and without, though the platform shows it at another place', async () => {
  const network = '/openapi/networks/v1/factory';
  const plant = await makeStubPlant(
    {
      lists: { '/openapi/networks/v1': [{ name: 'factory' }] },
      answer: ({ path, query }) => {
        if (path !== network) return undefined;
        const whole = [{ name: 'line1', children: [pump, { name: 'fan1', templateName: 'Fan' }] }];
        return { body: { children: query.has('templateName') ? [pump] : whole } };
      },
    },
    ({ postgres }) => ({ postgres, streams: onlyStreams('networks', 'network_nodes') }),
  );
  const sync = () => runCommand(plant.folder, ['sync', 'networks', 'network_nodes']);
  const paths = () =>
    plant.databases.rows('select path from plant.network_nodes where deleted_at is null order by path');
  expect(await sync()).toMatchObject({ code: 0 });
  expect(await paths()).toEqual(['line1', 'line1/fan1', 'line1/pump1']);
  const streams = {
    ...onlyStreams('networks', 'network_nodes'),
    network_nodes: { filter: { templateName: ['Pump'] } },
  };
  plant.configure({ ...plant.config, streams });
  expect(await sync()).toMatchObject({ code: 0 });
  expect(await paths()).toEqual(['line1', 'line1/fan1', 'line1/pump1']);
  const shown = `select path from plant.network_nodes where filter is not null order by path`;
  expect(await plant.databases.rows(shown)).toEqual(['line1', 'line1/pump1']);
});
