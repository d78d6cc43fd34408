import { describe, expect, it } from 'vitest';
import type { Selection } from '../../../src/config/config-schema.ts';
import { objectProperties } from '../../../src/streams/object-properties.ts';
import { objects } from '../../../src/streams/objects.ts';
import { syncSnapshot } from '../../../src/sync/directory/sync-stream.ts';
import { fillHistory } from '../../../src/sync/history/fill-history.ts';
import { pollCurrent } from '../../../src/sync/polls/poll-current.ts';
import { SeriesCatalog } from '../../../src/sync/selection/series-catalog.ts';
import { openSimulatedPlant } from '../../support/plant-context.ts';

const property = (name: string, recorded = true) => ({
  name,
  persisted: recorded,
  logged: false,
  primitiveType: 'Double',
});

describe('the series catalog', () => {
  it('gives every recorded property to the first selection that matches, and full names in any case', async () => {
    const { simulator, ctx } = await openSimulatedPlant({ size: { objects: 0, persons: 0 } }, () => ({
      runtime: [
        { objects: 'pump1', properties: 'hidden' },
        { objects: 'nowhere', properties: 'x' },
        { objects: 'pump*', properties: '{temp,flow}' },
        { objects: '*/a', properties: '*' },
      ],
    }));
    simulator.addObject({
      name: 'pump1',
      properties: [property('temp'), property('flow', false), property('hidden', false), property('other')],
    });
    simulator.addObject({ name: 'line/a', properties: [property('temp')] });
    for (const stream of [objects, objectProperties]) await syncSnapshot(ctx, stream);
    const selected = await ctx.catalog.select();
    expect(
      selected.map(({ series }) =>
        series.map(({ object, property: name, primitiveType }) => [object, name, primitiveType]),
      ),
    ).toEqual([
      [['pump1', 'hidden', 'Double']],
      [['nowhere', 'x', null]],
      [['pump1', 'temp', 'Double']],
      [['line/a', 'temp', 'Double']],
    ]);
    const narrowed = await ctx.catalog.select({ objects: 'pump1', properties: 't*' });
    expect(narrowed.flatMap(({ series }) => series).map(({ property: name }) => name)).toEqual(['temp']);
  });

  it('takes properties that are not recorded where a selection wants any, and counts what no selection takes', async () => {
    const { simulator, ctx } = await openSimulatedPlant({ size: { objects: 0, persons: 0 } }, () => ({
      runtime: [{ objects: 'pump1', recorded: 'any', properties: '{temp,hidden}' }, { objects: 'pump*' }],
    }));
    for (const name of ['pump1', 'pump2', 'line'])
      simulator.addObject({ name, properties: [property('temp'), property('hidden', false)] });
    for (const stream of [objects, objectProperties]) await syncSnapshot(ctx, stream);
    const names = (await ctx.catalog.select()).map(({ series }) =>
      series.map(({ object, property: name }) => `${object}.${name}`),
    );
    expect(names).toEqual([['pump1.hidden', 'pump1.temp'], ['pump2.temp']]);
    expect(await ctx.catalog.countLeftOut()).toEqual({ unrecorded: 1, unmatched: 2 });
  });

  it('polls and fills them like others', async () => {
    const { simulator, ctx, databases } = await openSimulatedPlant(
      { size: { objects: 0, persons: 0 } },
      () => ({
        runtime: [{ recorded: 'any', history: { start: '1h' } }],
      }),
    );
    const at = Date.now() - 600_000;
    simulator.addObject({
      name: 'pump1',
      properties: [{ ...property('hidden', false), points: [[at, 7] as [number, number]] }],
    });
    for (const stream of [objects, objectProperties]) await syncSnapshot(ctx, stream);
    expect(await fillHistory(ctx, { mode: 'increment', again: 'lookback' })).toMatchObject({
      status: 'done',
    });
    expect(await pollCurrent(ctx)).toMatchObject({ status: 'done' });
    // The platform may keep no history of this series. The series was asked for, and its empty history is
    // proven.
    expect(await databases.rows('select count(*)::int from plantsync.coverage')).toEqual([1]);
    expect(await databases.rows('select value from plant.current_values')).toEqual([7]);
  });

  it('is kept until the directory is synced again', async () => {
    const { simulator, ctx } = await openSimulatedPlant({ size: { objects: 0, persons: 0 } });
    const names = async () =>
      (await ctx.catalog.select()).flatMap(({ series }) => series.map((each) => each.object));
    const sync = async () => {
      for (const stream of [objects, objectProperties]) await syncSnapshot(ctx, stream);
    };
    simulator.addObject({ name: 'pump1', properties: [property('temp')] });
    await sync();
    expect(await names()).toEqual(['pump1']);
    simulator.addObject({ name: 'pump2', properties: [property('temp')] });
    expect(await names()).toEqual(['pump1']);
    await sync();
    expect(await names()).toEqual(['pump1', 'pump2']);
  });

  it('keeps no series of a former server, also not those that were read while the server changed', async () => {
    const { simulator, ctx } = await openSimulatedPlant({ size: { objects: 0, persons: 0 } });
    simulator.addObject({ name: 'pump1', properties: [property('temp')] });
    for (const stream of [objects, objectProperties]) await syncSnapshot(ctx, stream);
    const changes: (() => void)[] = [];
    const onServerChange = (work: () => void) => void changes.push(work);
    const catalog = new SeriesCatalog({ ...ctx, db: { ...ctx.db, onServerChange } });
    const [selection] = ctx.config.runtime as [Selection];
    await catalog.seriesOf(selection);
    expect(catalog.seriesBefore(selection)).toHaveLength(1);
    catalog.expire();
    const reading = catalog.seriesOf(selection);
    for (const change of changes) change();
    await reading;
    expect(catalog.seriesBefore(selection)).toBeUndefined();
  });
});
