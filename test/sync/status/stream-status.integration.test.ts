import { expect, it } from 'vitest';
import { streams } from '../../../src/streams/index.ts';
import { objects } from '../../../src/streams/objects.ts';
import { persons } from '../../../src/streams/persons.ts';
import type { SyncContext } from '../../../src/sync/context.ts';
import { syncStream } from '../../../src/sync/directory/sync-stream.ts';
import { readStatus } from '../../../src/sync/status/read-status.ts';
import type { StreamStatus } from '../../../src/sync/status/stream-status.ts';
import { openSimulatedPlant } from '../../support/plant-context.ts';

const DAY = 86_400e6;
const names = streams.filter(({ updates }) => !updates).map(({ name }) => name);
/** Makes the settings that switch on these streams alone. */
const only = (...on: string[]) => Object.fromEntries(names.map((name) => [name, on.includes(name)]));

async function statusOf(ctx: SyncContext): Promise<Record<string, StreamStatus>> {
  const { streams: found } = await readStatus(ctx);
  return Object.fromEntries(found.map((each) => [each.stream, each]));
}

it('leaves blank what is not known of a stream that never ran', async () => {
  const { ctx } = await openSimulatedPlant({ size: 'tiny' }, () => ({
    streams: { ...only('persons'), persons: { cron: '0 6 * * *' } },
  }));
  await ctx.db.query('drop table plant.persons cascade');
  const found = await statusOf(ctx);
  expect(Object.keys(found)).toEqual(['persons', 'person_details']);
  const unknown = {
    enabled: true,
    schedule: { cron: '0 6 * * *' },
    last: undefined,
    goodAt: undefined,
    rows: undefined,
    recent: undefined,
    rejects: undefined,
    drift: undefined,
  };
  expect(found).toMatchObject({
    persons: { ...unknown, completes: undefined },
    person_details: { ...unknown, completes: 'persons' },
  });
});

it('counts the rows of a stream, and what changed in the last day', async () => {
  const { ctx, simulator, databases } = await openSimulatedPlant({ size: 'tiny' }, () => ({
    streams: { ...only('persons'), persons: { details: 'off' } },
    limits: { deleteAfterMissing: 1 },
  }));
  await syncStream(ctx, persons);
  const first = (await statusOf(ctx)).persons;
  expect(first).toMatchObject({
    rows: { live: 5, deleted: 0, added: 5 },
    recent: { updated: 0, deleted: 0, restored: 0 },
    rejects: 0,
    last: { status: 'done' },
  });
  expect(first?.goodAt).toBe(first?.last?.startedAt);

  const [one, two] = (await databases.rows('select name from plant.persons order by name')) as string[];
  simulator.change({ collection: 'persons', kind: 'update', key: one ?? '', change: { showName: 'New' } });
  simulator.change({ collection: 'persons', kind: 'remove', key: two ?? '' });
  simulator.change({
    collection: 'persons',
    kind: 'add',
    record: { name: 'p9', showName: '9', gender: 'male' },
  });
  // The person that goes was first seen just now, and yet does not count as added.
  const old = `update plant.persons set first_seen_at = now() - interval '2 days' where name <> $1`;
  await databases.db.query(old, [two]);
  await syncStream(ctx, persons);
  expect((await statusOf(ctx)).persons).toMatchObject({
    rows: { live: 5, deleted: 1, added: 1 },
    recent: { updated: 1, deleted: 1, restored: 0 },
  });
  const later = { ...ctx, clock: () => ctx.clock() + 2 * DAY };
  expect((await statusOf(later)).persons).toMatchObject({
    rows: { live: 5, deleted: 1, added: 0 },
    recent: { updated: 0, deleted: 0, restored: 0 },
  });
  expect((await readStatus(ctx)).changes.persons).toEqual({ updated: 1, deleted: 1, restored: 0 });
});

it('shows details as a line of their own, without rows of their own', async () => {
  const { ctx } = await openSimulatedPlant({ size: 'tiny' }, () => ({ streams: only('objects') }));
  await syncStream(ctx, objects);
  const found = await statusOf(ctx);
  expect(found.objects?.rows?.live).toBe(4);
  expect(found.object_details).toMatchObject({
    completes: 'objects',
    last: { status: 'done' },
    schedule: { everyMs: 3_600_000 },
    rows: undefined,
    recent: undefined,
  });
});

it('keeps the last good run apart from the last run, and tells rejects and drift', async () => {
  const { ctx, simulator } = await openSimulatedPlant({ size: 'tiny' }, () => ({
    streams: { ...only('persons'), persons: { details: 'off' } },
    limits: { maxRejects: 10 },
  }));
  const strange = { name: 'p9', showName: '9', gender: 'male', shoeSize: 44 };
  simulator.change({ collection: 'persons', kind: 'add', record: strange });
  simulator.change({ collection: 'persons', kind: 'add', record: { ...strange, name: '' } });
  await syncStream(ctx, persons);
  const good = (await statusOf(ctx)).persons;
  simulator.setFaults([{ kind: 'status', status: 400, code: '800001', operation: 'listPersons' }]);
  await syncStream(ctx, persons);
  const { streams: found, drift } = await readStatus(ctx);
  expect(found[0]).toMatchObject({ goodAt: good?.goodAt, last: { status: 'failed' }, rejects: 1 });
  expect(found[0]?.drift).toBe(drift.filter(({ stream }) => stream === 'persons').length);
  expect(drift).toContainEqual(
    expect.objectContaining({ table: 'persons', member: 'shoeSize', kind: 'new', sample: 44 }),
  );
});

it('shows a stream that is switched off only if it has run', async () => {
  const { ctx } = await openSimulatedPlant({ size: 'tiny' }, () => ({ streams: only('users') }));
  await ctx.ledger.runs.start({ stream: 'persons', kind: 'scan' });
  const found = await statusOf(ctx);
  expect(Object.keys(found)).toEqual(['persons', 'users', 'user_details']);
  expect(found.persons).toMatchObject({ enabled: false, last: { status: 'running' }, goodAt: undefined });
});
