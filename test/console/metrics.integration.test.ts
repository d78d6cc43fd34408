import { expect, it } from 'vitest';
import { describeMetrics } from '../../src/console/render-metrics.ts';
import { streams } from '../../src/streams/index.ts';
import { syncSnapshot } from '../../src/sync/directory/sync-stream.ts';
import { fillHistory } from '../../src/sync/history/fill-history.ts';
import { pollCurrent } from '../../src/sync/polls/poll-current.ts';
import { readStatus } from '../../src/sync/status/read-status.ts';
import { verifyHistory } from '../../src/sync/verify/verify-history.ts';
import { openMeteredPlant } from './metered-plant.ts';

it('show the gaps that plantsync gaps lists, and none where nothing is missing', async () => {
  const { ctx, databases, scrape, pass } = await openMeteredPlant();
  await fillHistory(ctx, { mode: 'increment', again: 'none' });
  expect(await scrape('missing_series_seconds')).toEqual({
    'missing_series_seconds{store="postgres",selection="1"}': 0,
    'missing_series_seconds{store="influx",selection="1"}': 0,
  });
  expect(await scrape('missing_oldest')).toEqual({});

  await databases.db.query(
    `update plantsync.coverage set covered = covered - tstzmultirange(
       tstzrange(now() - interval '90 min', now() - interval '60 min'), tstzrange(now() - interval '45 min', now() - interval '40 min'))
     where store like 'influx:%'`,
  );
  pass();
  const { history } = await readStatus(ctx);
  const influx = ctx.stores.find(({ kind }) => kind === 'influx')?.id ?? '';
  const missing = await scrape('missing_series');
  expect(history.missingHours[influx]).toBeCloseTo(35 / 60, 3);
  expect(missing).toEqual({
    'missing_series_seconds{store="postgres",selection="1"}': 0,
    'missing_series_seconds{store="influx",selection="1"}': expect.closeTo(
      (history.missingHours[influx] ?? 0) * 3600,
      3,
    ),
    'missing_series{store="postgres",selection="1"}': 0,
    'missing_series{store="influx",selection="1"}': 1,
  });
  const oldest = await scrape('missing_oldest');
  const ageSec = Date.now() / 1000 - (Object.values(oldest)[0] ?? 0);
  expect(Object.keys(oldest)).toEqual(['missing_oldest_timestamp_seconds{store="influx",selection="1"}']);
  expect(Math.abs(ageSec - 90 * 60)).toBeLessThan(60);
});

it('show what differs from the platform until it is repaired', async () => {
  const { ctx, databases, scrape, pass } = await openMeteredPlant();
  await fillHistory(ctx, { mode: 'increment', again: 'none' });
  const order = { from: ctx.clock() - 7200e6, to: ctx.clock() };
  const differences = async () => {
    pass();
    return scrape('verify_differences');
  };
  const found = (store: string, difference: string) =>
    `verify_differences{selection="all",store="${store}",difference="${difference}"}`;
  expect(await differences()).toEqual({});

  await databases.db.query(
    `delete from plant.samples where at in (select at from plant.samples order by at limit 3)`,
  );
  await verifyHistory(ctx, order);
  expect(await differences()).toMatchObject({
    [found('postgres', 'missing')]: 3,
    [found('postgres', 'extra')]: 0,
    [found('influx', 'missing')]: 0,
  });
  await verifyHistory(ctx, { ...order, repair: true });
  expect(await differences()).toMatchObject({ [found('postgres', 'missing')]: 0 });
  expect(Object.keys(await scrape('verify_last'))).toEqual([
    'verify_last_timestamp_seconds{selection="all"}',
  ]);
});

it('show pauses, drift, orders, rejects, processes and what waits, as the ledger has them', async () => {
  const { ctx, databases, scrape, pass } = await openMeteredPlant();
  const { ledger } = ctx;
  await ledger.control.pause(['*', 'history']);
  await ledger.orders.ask('backfill', {});
  await ledger.orders.ask('backfill', {});
  await ledger.services.begin('worker');
  await ledger.drift.replace('persons', [
    { table: 'persons', member: 'a', kind: 'new', count: 1, sample: 1 },
  ]);
  const influx = ctx.stores.find(({ kind }) => kind === 'influx')?.id ?? '';
  await databases.db.query(
    `insert into plantsync.outbox (store, payload, created_at) values ($1, '{}', now() - interval '1 hour'), ($1, '{}', now())`,
    [influx],
  );
  pass();
  expect(Object.keys(await scrape('paused'))).toEqual([
    'paused_timestamp_seconds{target="all"}',
    'paused_timestamp_seconds{target="history"}',
  ]);
  expect(await scrape('orders')).toEqual({ 'orders{kind="backfill",status="waiting"}': 2 });
  expect(await scrape('services')).toEqual({
    'services{role="worker",state="alive"}': 1,
    'services{role="worker",state="silent"}': 0,
  });
  expect(await scrape('drift')).toEqual({ 'drift_entries{stream="persons"}': 1 });
  expect(await scrape('outbox_entries')).toMatchObject({
    'outbox_entries{stream="current",store="influx"}': 2,
  });
  const oldest = (await scrape('outbox_oldest'))[
    'outbox_oldest_timestamp_seconds{stream="current",store="influx"}'
  ];
  expect(Math.abs(Date.now() / 1000 - (oldest ?? 0) - 3600)).toBeLessThan(60);
});

it('count the writes of a store, and those that failed by the code of the error', async () => {
  const { ctx, databases, scrape } = await openMeteredPlant();
  await fillHistory(ctx, { mode: 'increment', again: 'none' });
  const writes = await scrape('store_write_duration_seconds_count');
  // A store appears with its first write, and both write at once.
  expect(Object.keys(writes).sort()).toEqual(
    ['influx', 'postgres'].map((store) => `store_write_duration_seconds_count{store="${store}"}`),
  );
  expect(await scrape('store_write_failures_total')).toEqual({});
  await databases.db.query('alter table plant.samples rename to elsewhere');
  await databases.db.query('delete from plantsync.coverage');
  await fillHistory(ctx, { mode: 'increment', again: 'none' });
  const failures = await scrape('store_write_failures_total');
  expect(Object.keys(failures)).toEqual([
    expect.stringMatching(/^store_write_failures_total\{store="postgres",code="postgres\.\w+"\}$/),
  ]);
});

it('are absent while the ledger cannot be read, and never hold up a scrape', async () => {
  const { ctx, scrape, pass, prometheus } = await openMeteredPlant();
  await syncSnapshot(ctx, streams.find(({ name }) => name === 'persons') as never);
  await pollCurrent(ctx);
  expect(Object.keys(await scrape('run_last_success'))).toHaveLength(2);
  await ctx.db.close();
  pass();
  expect(await scrape('run_last_success')).toEqual({});
  const withValue = (await prometheus.render()).split('\n').filter((line) => line.startsWith('plantsync_'));
  const ofLedger = describeMetrics().find(({ title }) => title === 'The ledger')?.metrics ?? [];
  for (const { name } of ofLedger)
    expect(withValue.filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`))).toEqual(
      [],
    );
});
