import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { onlyStreams } from '../../support/stream-switches.ts';
import { makeStubPlant } from '../../support/stub/stub-plant.ts';

describe('polling current values', () => {
  it.each([400, 200])(
    'goes on for all others where a property and an object are missing (HTTP %i)',
    async (status) => {
      const select = (objects: string, properties: string) => ({
        objects,
        properties,
        current: { every: '1s' },
        history: false,
      });
      const plant = await makeStubPlant(
        {
          current: { 'pump1.temp': 21.5, 'pump1.nosuch': null },
          answer: ({ path, text }) =>
            path.endsWith('/properties/current') && text.includes('ghost')
              ? { status, body: { code: '800001', message: 'object ghost not found' } }
              : undefined,
        },
        ({ postgres, influx }) => ({
          postgres,
          influx,
          streams: onlyStreams(),
          runtime: [select('pump1', 'temp'), select('pump1', 'nosuch'), select('ghost', 'temp')],
        }),
      );
      const service = plant.start(['run']);
      const polled = async () => (await plant.databases.influxPoints('pump1.temp', 'runtime_polled')).values;
      await service.printed(/ghost/);
      while ((await polled()).length < 5) await sleep(200);
      expect(service.process.exitCode).toBeNull();
      service.process.kill('SIGTERM');
      const { code, output } = await service.ended;
      expect(code).toBe(0);
      expect(new Set(await polled())).toEqual(new Set([21.5]));
      for (const name of ['pump1.nosuch', 'ghost.temp'])
        expect((await plant.databases.influxPoints(name, 'runtime_polled')).times).toEqual([]);
      const polls = Number(
        (
          await plant.databases.rows(
            `select count(*) from plantsync.runs where stream = 'current' and starts_with(kind, 'poll')`,
          )
        )[0],
      );
      expect(output.split('\n').filter((line) => line.includes('ghost')).length).toBeLessThanOrEqual(polls);
      const [value] = await plant.databases.rows(
        `select value from plant.current_values join plant.series using (series_id) where object = 'pump1' and property = 'temp'`,
      );
      expect(value).toBe(21.5);
    },
  );
});
