import { describe, expect, it } from 'vitest';
import type { RejectRecord } from '../../../src/ledger/rejects/rejects.ts';
import { fillHistory } from '../../../src/sync/history/fill-history.ts';
import { deliverPolls } from '../../../src/sync/polls/deliver-polls.ts';
import { pollCurrent } from '../../../src/sync/polls/poll-current.ts';
import { replayRejects } from '../../../src/sync/replay/replay-rejects.ts';
import { listGaps } from '../../../src/sync/status/list-gaps.ts';
import { askInflux } from '../../support/influx/ask-influx.ts';
import { openSimulatedPlant, type SimulatedPlant } from '../../support/plant-context.ts';
import { noAlarms } from '../../support/stream-switches.ts';

const HOUR_MS = 3_600_000;
const nowMs = Date.UTC(2026, 2, 1, 12);
const atMs = (hoursAgo: number) => nowMs - hoursAgo * HOUR_MS;

const only = (objects: string) => ({
  objects,
  properties: 'note',
  current: false,
  history: { start: new Date(atMs(10)).toISOString() },
});

/** Opens a plant with Postgres and InfluxDB. Two pumps have points at 2 and at 8 hours before now. */
async function openTalkingPumps(names = ['pump1', 'pump2']): Promise<SimulatedPlant> {
  const plant = await openSimulatedPlant(
    { size: { objects: 0, persons: 0 }, nowMs: () => nowMs },
    ({ influx }) => ({ platform: { retries: 0 }, influx, runtime: names.map(only), alarms: noAlarms }),
  );
  for (const name of names)
    plant.simulator.addObject({
      name,
      properties: [
        {
          name: 'note',
          primitiveType: 'String',
          points: [
            [atMs(8), 'all is well'],
            [atMs(2), 'a valve sticks'],
          ],
        },
      ],
    });
  return plant;
}

/** Writes the field `text` as a number, like another program would. InfluxDB then takes no text. */
function spoilField(plant: SimulatedPlant, measurement = 'runtime', at = atMs(5)): Promise<string> {
  const body = `${measurement},object=x,property=y text=1 ${at}`;
  return askInflux(plant.databases.sections.influx, '/write', { precision: 'ms', body });
}

function dropMeasurement(plant: SimulatedPlant, measurement = 'runtime'): Promise<string> {
  return askInflux(plant.databases.sections.influx, '/query', { q: `drop measurement ${measurement}` });
}

function openPoints({ ctx }: SimulatedPlant, key?: string): Promise<RejectRecord[]> {
  return ctx.ledger.rejects
    .list({ stream: 'history' })
    .then((all) => all.filter((reject) => key === undefined || reject.key === key));
}

describe('refused points', () => {
  it('are read and written again, in the store that refused them, and their case is settled', async () => {
    const plant = await openTalkingPumps();
    await spoilField(plant);
    await fillHistory(plant.ctx, { mode: 'increment', again: 'none' });
    const refused = await openPoints(plant, 'pump1.note');
    expect(refused).toMatchObject([{ kind: 'influx', reason: expect.stringMatching('field type conflict') }]);

    const inVain = await replayRejects(plant.ctx, refused);
    expect(inVain.cases).toMatchObject([
      { outcome: 'refused', reject: { id: refused[0]?.id, count: 2 * (refused[0]?.count ?? 0) } },
    ]);

    await dropMeasurement(plant);
    const again = await replayRejects(plant.ctx, await openPoints(plant, 'pump1.note'));
    expect(again.cases).toMatchObject([{ outcome: 'resolved', reject: { id: refused[0]?.id } }]);
    expect(again.runs).toMatchObject([
      { stream: 'history', status: 'done', points: { postgres: 0, influx: 2 } },
    ]);
    expect((await plant.databases.influxPoints('pump1.note')).texts).toEqual([
      'all is well',
      'a valve sticks',
    ]);
    expect((await plant.databases.influxPoints('pump2.note')).texts).toEqual([]);
    expect(await openPoints(plant)).toMatchObject([{ key: 'pump2.note' }]);
    expect(await plant.databases.count('samples')).toBe(4);
    expect((await listGaps(plant.ctx)).gaps, 'everything is covered again').toEqual([]);
  });

  it('stay a gap and an open case while the platform does not answer, also where nothing else tells their range', async () => {
    const plant = await openTalkingPumps(['pump1']);
    await spoilField(plant);
    await fillHistory(plant.ctx, { mode: 'increment', again: 'none' });
    await dropMeasurement(plant);
    await plant.databases.db.query('update plantsync.rejects set ranges = null');
    plant.simulator.setFaults([{ kind: 'status', status: 503, operation: 'readHistory' }]);
    const failed = await replayRejects(plant.ctx, await openPoints(plant));
    expect(failed.cases).toMatchObject([{ outcome: 'open', note: expect.stringMatching('503') }]);
    expect((await listGaps(plant.ctx)).gaps).toMatchObject([{ series: 'pump1.note' }]);
    plant.simulator.setFaults([]);
    const settled = await replayRejects(plant.ctx, await openPoints(plant));
    expect(settled.cases).toMatchObject([{ outcome: 'resolved' }]);
    expect((await plant.databases.influxPoints('pump1.note')).texts).toEqual([
      'all is well',
      'a valve sticks',
    ]);
  });

  it('of a poll are settled when the next poll is taken', async () => {
    const plant = await openSimulatedPlant({ size: { objects: 0, persons: 0 } }, ({ influx }) => ({
      influx,
      alarms: noAlarms,
      runtime: [{ objects: 'pump1', properties: 'note', history: false }],
    }));
    const note = {
      name: 'note',
      primitiveType: 'String',
      points: [[Date.now() - HOUR_MS, 'all is well']],
    } as const;
    plant.simulator.addObject({ name: 'pump1', properties: [note] });
    // The type of a field holds for a week of times. The next week may begin before the poll.
    for (const days of [0, 7]) await spoilField(plant, 'runtime_polled', Date.now() + days * 24 * HOUR_MS);
    await pollCurrent(plant.ctx);
    await deliverPolls(plant.ctx);
    const refused = await plant.ctx.ledger.rejects.list({ stream: 'current' });
    expect(refused).toMatchObject([{ kind: 'influx', count: 1 }]);
    expect((await replayRejects(plant.ctx, refused)).cases).toMatchObject([{ outcome: 'refused' }]);
    await dropMeasurement(plant, 'runtime_polled');
    const again = await replayRejects(plant.ctx, await plant.ctx.ledger.rejects.list({ stream: 'current' }));
    expect(again.cases).toMatchObject([{ outcome: 'resolved' }]);
    expect((await plant.databases.influxPoints('pump1.note', 'runtime_polled')).texts).toEqual([
      'all is well',
    ]);
  });

  it('of a series that nobody knows, and of a store that is gone, stay open with the reason', async () => {
    const plant = await openSimulatedPlant({ size: { objects: 0, persons: 0 } }, () => ({
      alarms: noAlarms,
      runtime: [only('pump1')],
    }));
    await plant.ctx.ledger.series.register([{ object: 'pump1', property: 'note', primitiveType: null }]);
    const refused = { stream: 'history', reason: 'r' };
    await plant.ctx.ledger.rejects.add([
      { ...refused, kind: 'point', key: 'nobody.knows' },
      { ...refused, kind: 'influx', key: 'pump1.note' },
      { ...refused, kind: 'point', key: '*' },
      { ...refused, stream: 'of_old', kind: 'record', key: 'a' },
    ]);
    const { cases } = await replayRejects(plant.ctx, await plant.ctx.ledger.rejects.list());
    expect(Object.fromEntries(cases.map(({ reject, note }) => [reject.key, note]))).toEqual({
      'nobody.knows': 'no series of this name is known',
      'pump1.note': 'the configuration has no store of the kind influx',
      '*': expect.stringMatching('plantsync backfill --force'),
      a: 'there is no such stream any more',
    });
    expect(cases.map(({ outcome }) => outcome)).toEqual(['open', 'open', 'open', 'open']);
  });
});
