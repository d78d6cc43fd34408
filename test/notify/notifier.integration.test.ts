import { afterAll, beforeAll, expect, it } from 'vitest';
import { findMarkers } from '../support/markers.ts';
import { makeProject } from '../support/program/plantsync.ts';
import { openSimulator } from '../support/program/simulated-project.ts';
import { makeDatabase } from '../support/servers/postgres.ts';
import { connectTo } from '../support/servers/postgres-client.ts';
import {
  startInflux,
  startPostgres,
  type TestPostgres,
  type TestServer,
} from '../support/servers/servers.ts';
import { isSignedBy, openWebhookReceiver } from '../support/servers/webhook-receiver.ts';
import { noAlarms, onlyStreams } from '../support/stream-switches.ts';

const secret = 'signature canary #1';
/** A slow start is told too, and would hold up what a test waits for. */
const told = ['store-away', 'alarm-storm', 'webhook-failing', 'recovered'];
const ONCALL = '/oncall/path-canary-0123456789';
const FAILING = '/failing';
const HANGING = '/hanging';
const BEAT = '/beat/beat-canary-0123456789';

let postgres: TestPostgres;
let influx: TestServer;
beforeAll(async () => {
  [postgres, influx] = await Promise.all([startPostgres(), startInflux()]);
});
afterAll(() => Promise.all([postgres.close(), influx.close()]));

/** Makes a plant with a database of its own. `storm` says when alarms are a storm. Else none are read. */
async function openSite(storm?: { readonly alarms: number; readonly within: string }) {
  const simulator = await openSimulator({ size: { objects: 0, persons: 1 } });
  simulator.addObject({ name: 'pump1', properties: [{ name: 'temp', points: [] }] });
  const receiver = await openWebhookReceiver();
  receiver.answer(FAILING, 500);
  receiver.answer(HANGING, 'hang');
  const { baseUrl, appId, secret: platformSecret } = simulator;
  const { url, password } = (await makeDatabase(postgres.options)).options;
  const access = { url, password };
  const project = makeProject({
    platform: { baseUrl, appId, secret: platformSecret, retries: 0 },
    postgres: access,
    influx: { url: influx.url, version: 1, database: 'plant' },
    streams: { ...onlyStreams(), objects: { every: '1s' } },
    alarms: storm === undefined ? noAlarms : { current: { every: '1s' }, history: false },
    runtime: [{ objects: 'pump1', properties: 'temp', current: { every: '1s' }, history: false }],
    notify: {
      ...{ after: '1s', alarmStorm: storm },
      installation: 'plant-1',
      webhooks: [
        { name: 'oncall', url: `${receiver.url}${ONCALL}`, secret, events: told },
        { name: 'failing', url: `${receiver.url}${FAILING}`, events: ['store-away', 'recovered'] },
        { name: 'hanging', url: `${receiver.url}${HANGING}`, events: ['store-away'], timeout: '500ms' },
      ],
    },
    heartbeat: { url: `${receiver.url}${BEAT}`, every: '1s' },
  });
  const messages = (path: string, subject: string) =>
    receiver
      .taken(path)
      .filter(({ facts }) => (facts as { subject: string }).subject === subject)
      .map(({ id, event, of }) => ({ id, event: of === undefined ? event : `${event} ${of}` }));
  const events = (path: string, subject: string) => messages(path, subject).map(({ event }) => event);
  const beats = () => receiver.calls.filter(({ path }) => path === BEAT).length;
  const tries = (path: string) => receiver.calls.filter((call) => call.path === path);
  return { ...project, access, simulator, receiver, messages, events, beats, tries };
}

it('webhooks are told what is wrong once, and its end, over restarts and while Postgres is away', async () => {
  const first = await openSite();
  const { start, run, receiver, messages, events, beats, tries } = first;
  const service = start(['run']);
  await expect.poll(beats).toBeGreaterThan(1);

  await influx.stop();
  await expect.poll(() => events(ONCALL, 'influx')).toEqual(['store-away']);
  const beatsBefore = beats();
  await expect.poll(() => tries(HANGING).length).toBeGreaterThan(0);
  await expect.poll(() => tries(FAILING).length).toBeGreaterThan(1);
  expect(new Set(tries(FAILING).map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  expect(beats()).toBe(beatsBefore);
  const isTold = async (subject: string) => {
    const { problems } = JSON.parse((await run(['status', '--json'])).stdout).overview;
    return problems.some((each: { subject: string }) => each.subject === subject);
  };
  await expect.poll(() => isTold('webhook:failing')).toBe(true);
  await expect.poll(() => isTold('webhook:hanging')).toBe(true);
  await expect.poll(() => events(ONCALL, 'webhook:failing')).toEqual(['webhook-failing']);

  service.process.kill('SIGKILL');
  await service.ended;
  receiver.answer(FAILING, 204);
  const next = start(['run']);
  await expect.poll(() => events(FAILING, 'influx')).toEqual(['store-away']);
  await influx.start();
  await expect.poll(() => events(ONCALL, 'influx')).toEqual(['store-away', 'recovered store-away']);
  await expect.poll(() => events(FAILING, 'influx')).toEqual(['store-away', 'recovered store-away']);
  expect(new Set(messages(ONCALL, 'influx').map(({ id }) => id)).size).toBe(1);
  await expect
    .poll(() => events(ONCALL, 'webhook:failing'))
    .toEqual(['webhook-failing', 'recovered webhook-failing']);

  const late = await openSite();
  await postgres.stop();
  // Another service starts while Postgres is away.
  const second = late.start(['run']);
  for (const site of [first, late])
    await expect.poll(() => site.events(ONCALL, 'postgres')).toEqual(['store-away']);
  await postgres.start();
  await second.printed(/the service runs/);
  for (const site of [first, late])
    await expect.poll(() => site.events(ONCALL, 'postgres')).toEqual(['store-away', 'recovered store-away']);
  await expect.poll(beats).toBeGreaterThan(beatsBefore);

  const { output } = next;
  next.process.kill('SIGTERM');
  expect(await next.ended).toMatchObject({ code: 0 });
  for (const call of tries(ONCALL)) expect(isSignedBy(call, secret)).toBe(true);
  expect(receiver.taken(ONCALL).every(({ installation }) => installation === 'plant-1')).toBe(true);
  const shown = [output(), service.output(), (await run(['config'])).stdout, (await run(['status'])).stdout];
  expect(findMarkers(shown.join('\n'), [secret, ONCALL, BEAT])).toEqual([]);
});

it('of two processes one tells of a storm of alarms, and the other goes on for it when it is killed', async () => {
  const site = await openSite({ alarms: 3, within: '10m' });
  const { start, simulator, receiver, events, tries } = site;
  const services = [start(['run']), start(['run'])];
  for (const service of services) await service.printed(/the service runs/);
  receiver.answer(ONCALL, 'hang');
  const alarms = ['low', 'high', 'hot'].map((showName) =>
    simulator.raiseAlarm({ sourceObjName: 'pump1', sourcePropName: 'temp', showName }),
  );
  const tells = () => tries(ONCALL).filter(({ body }) => body.event === 'alarm-storm');
  await expect.poll(() => tells().length).toBe(1);

  const db = await connectTo(site.access);
  const { rows } = await db.query(
    `select l.holder from plantsync.locks as k join plantsync.leases as l on l.id = k.lease where k.name = 'notices'`,
  );
  const teller = services.find(({ process }) => rows[0].holder.includes(String(process.pid)));
  teller?.process.kill('SIGKILL');
  await teller?.ended;
  receiver.answer(ONCALL, 204);
  await expect.poll(() => events(ONCALL, 'alarms')).toEqual(['alarm-storm']);
  // The first process had sent the message, and nobody knows whether it was taken.
  expect(new Set(tells().map(({ headers }) => headers['idempotency-key'])).size).toBe(1);

  // While the alarms cannot be counted, the storm is neither over nor told again.
  await db.query('alter table plant.alarms rename started_at to begun_at');
  await influx.stop();
  await expect.poll(() => events(ONCALL, 'influx')).toEqual(['store-away']);
  await influx.start();
  await expect.poll(() => events(ONCALL, 'influx')).toEqual(['store-away', 'recovered store-away']);
  expect(events(ONCALL, 'alarms')).toEqual(['alarm-storm']);
  await db.query('alter table plant.alarms rename begun_at to started_at');
  for (const id of alarms) simulator.clearAlarm(id);
  const active = () => db.query('select from plant.alarms where is_active');
  await expect.poll(async () => (await active()).rowCount).toBe(0);
  await db.query(`update plant.alarms set started_at = started_at - interval '1 hour'`);
  await expect.poll(() => events(ONCALL, 'alarms')).toEqual(['alarm-storm', 'recovered alarm-storm']);
});

it('check --notify sends a test message to each webhook; check alone sends nothing', async () => {
  const { run, receiver, tries } = await openSite();
  const alone = await run(['check', '--json']);
  const checksOf = ({ stdout }: { stdout: string }) =>
    (JSON.parse(stdout).checks as { what: string; ok: boolean; detail: string }[]).filter(({ what }) =>
      /webhook|heartbeat/.test(what),
    );
  expect(checksOf(alone).map(({ ok }) => ok)).toEqual([true, true, true, true]);
  expect(receiver.calls).toEqual([]);

  const sent = await run(['check', '--notify', '--json']);
  expect(sent.code).toBe(1);
  expect(Object.fromEntries(checksOf(sent).map(({ what, detail }) => [what, detail]))).toEqual({
    'webhook oncall': expect.stringMatching(/took a test message$/),
    'webhook failing': expect.stringMatching(/answers HTTP 500/),
    'webhook hanging': expect.stringMatching(/no answer within 0.5 s/),
    heartbeat: expect.stringMatching(/took a call$/),
  });
  expect(tries(ONCALL).map(({ body }) => body.event)).toEqual(['test']);
  expect(tries(BEAT).map(({ method }) => method)).toEqual(['GET']);
  expect(findMarkers(`${alone.stdout}${sent.stdout}`, [secret, ONCALL, BEAT])).toEqual([]);
});
