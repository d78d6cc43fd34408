import { expect, it } from 'vitest';
import { listVerifications } from '../../jobs/verification.ts';
import { fillHistory } from '../../src/sync/history/fill-history.ts';
import { openSimulatedPlant } from '../support/plant-context.ts';

const hourUs = 3_600_000_000;

it('the verification of a selection says what differs, and sets it right', async () => {
  const plant = await openSimulatedPlant({ size: { objects: 0, persons: 0 } }, () => ({
    runtime: [
      {
        objects: 'pump1',
        properties: 'temp',
        current: false,
        history: { verify: { enabled: true, range: '2h' } },
      },
      { objects: 'none', properties: '*', current: false, history: { verify: 'on' } },
      { objects: '*', properties: '*', current: false },
    ],
  }));
  const toMs = Math.floor(Date.now() / 1000) * 1000 - 60_000;
  const points = Array.from({ length: 200 }, (_, k) => [toMs - k * 30_000, k] as [number, number]).reverse();
  plant.simulator.addObject({
    name: 'pump1',
    properties: [{ name: 'temp', primitiveType: 'Double', points }],
  });
  const to = Date.now() * 1000;
  await fillHistory(plant.ctx, { mode: 'backfill', from: to - 3 * hourUs, to });
  const [job, ofNothing, ...others] = listVerifications(plant.ctx.config);
  expect(others).toEqual([]);
  expect(await job?.run(plant.ctx)).toMatchObject({ status: 'done', problems: [] });
  expect(await ofNothing?.run(plant.ctx)).toMatchObject({ status: 'done', problems: [] });

  const { rowCount } = await plant.databases.db.query(
    `update plant.samples set value = value + 1 where at > now() - interval '10 minutes'`,
  );
  expect(rowCount).toBeGreaterThan(10);
  expect(await job?.run(plant.ctx)).toMatchObject({
    status: 'partial',
    problems: [expect.stringContaining(`${rowCount} different`)],
  });
  expect(await job?.run(plant.ctx)).toMatchObject({ status: 'done', problems: [] });
});
