import { expect, it } from 'vitest';
import { listJobs } from '../../../jobs/index.ts';
import { silentLog } from '../../../src/log.ts';
import { objectProperties } from '../../../src/streams/object-properties.ts';
import { objects } from '../../../src/streams/objects.ts';
import { fillByPieces } from '../../../src/sync/backfill/fill-by-pieces.ts';
import { syncSnapshot } from '../../../src/sync/directory/sync-stream.ts';
import type { RunSummary } from '../../../src/sync/run-summary.ts';
import { openSimulatedPlant } from '../../support/plant-context.ts';

it('the service warns once per change of a selection without series, and each of its runs notes it', async () => {
  const { ctx: opened, simulator } = await openSimulatedPlant({ size: { objects: 0, persons: 0 } }, () => ({
    runtime: [{ objects: 'pump*', history: { start: '1h' } }],
  }));
  const warnings: string[] = [];
  const log = Object.assign(Object.create(silentLog), {
    warn: (_: object, sentence: string) => warnings.push(sentence),
  });
  const ctx = { ...opened, log };
  const scan = async () => {
    for (const stream of [objects, objectProperties]) await syncSnapshot(ctx, stream);
  };
  const run = async (name: string) => {
    const job = listJobs(ctx.config).find((each) => each.name === name);
    return (await job?.run(ctx)) as RunSummary;
  };
  const temp = { name: 'temp', persisted: true, logged: false, primitiveType: 'Double' };
  simulator.addObject({ name: 'line', properties: [temp] });
  await scan();
  const reason = /no series matches selection 1 \(objects "pump\*".*1 object with 1 property/;
  for (let turn = 0; turn < 3; turn += 1) {
    expect(await run('increment-1')).toMatchObject({
      status: 'done',
      notes: [expect.stringMatching(reason)],
    });
    expect((await run('poll-1')).notes).toEqual([expect.stringMatching(reason)]);
  }
  expect(warnings).toEqual([expect.stringMatching(reason), expect.stringMatching(reason)]);
  // A scan that changes nothing leads to no second warning.
  await scan();
  await run('increment-1');
  expect(warnings).toHaveLength(2);
  simulator.addObject({ name: 'pump1', properties: [{ ...temp, persisted: false }] });
  await scan();
  await run('increment-1');
  expect(warnings.at(-1)).toMatch(/none of them persisted or logged/);
  simulator.addObject({ name: 'pump2', properties: [temp] });
  await scan();
  expect((await run('increment-1')).notes).toEqual([]);
  expect(warnings).toHaveLength(3);
});

it('a backfill by others that selects nothing hands out no piece and is no success', async () => {
  const { ctx, simulator } = await openSimulatedPlant({ size: { objects: 0, persons: 0 } }, () => ({
    runtime: [{ objects: 'pump*' }],
  }));
  simulator.addObject({ name: 'line', properties: [{ name: 'temp', persisted: true, logged: false }] });
  for (const stream of [objects, objectProperties]) await syncSnapshot(ctx, stream);
  const to = ctx.clock();
  let pieces = 0;
  const summary = await fillByPieces(ctx, { mode: 'backfill', from: to - 3_600e6, to }, async (work) => {
    pieces += [...work.pieces].length;
  });
  expect(pieces).toBe(0);
  expect(summary).toMatchObject({
    status: 'partial',
    problems: [expect.stringMatching(/no series matches selection 1 \(objects "pump\*"/)],
  });
});
