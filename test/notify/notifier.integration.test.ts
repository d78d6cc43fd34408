import { afterAll, beforeAll, expect, it } from 'vitest';
import { findMarkers } from '../support/markers.ts';
import { makeProject } from '../support/program/plantsync.ts';
import { openSimulator } from '../support/program/simulated-project.ts';
import {
  startInflux,
  startPostgres,
  type TestPostgres,
  type TestServer,
} from '../support/servers/servers.ts';
import { isSignedBy, openWebhookReceiver } from '../support/servers/webhook-receiver.ts';
import { noAlarms, onlyStreams } from '../support/stream-switches.ts';

const secret = 'signature canary #1';
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

async function openSite() {
  const simulator = await openSimulator({ size: { objects: 0, persons: 1 } });
  simulator.addObject({ name: 'pump1', properties: [{ name: 'temp', points: [] }] });
  const receiver = await openWebhookReceiver();
  receiver.answer(FAILING, 500);
  receiver.answer(HANGING, 'hang');
  const { baseUrl, appId, secret: platformSecret } = simulator;
  const project = makeProject({
    platform: { baseUrl, appId, secret: platformSecret, retries: 0 },
    postgres: { url: postgres.options.url, password: postgres.options.password },
    influx: { url: influx.url, version: 1, database: 'plant' },
    streams: { ...onlyStreams(), objects: { every: '1s' } },
    alarms: noAlarms,
    runtime: [{ objects: 'pump1', properties: 'temp', current: { every: '1s' }, history: false }],
    notify: {
      after: '1s',
      installation: 'plant-1',
      webhooks: [
        { name: 'oncall', url: `${receiver.url}${ONCALL}`, secret },
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
  return { ...project, simulator, receiver, messages, events, beats, tries };
}

it('webhooks are told what is wrong once, and its end, over restarts and while Postgres is away', async () => {
  const { start, run, receiver, messages, events, beats, tries } = await openSite();
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

  await postgres.stop();
  await expect.poll(() => events(ONCALL, 'postgres')).toEqual(['store-away']);
  await postgres.start();
  await expect.poll(() => events(ONCALL, 'postgres')).toEqual(['store-away', 'recovered store-away']);
  await expect.poll(beats).toBeGreaterThan(beatsBefore);

  const { output } = next;
  next.process.kill('SIGTERM');
  expect(await next.ended).toMatchObject({ code: 0 });
  for (const call of tries(ONCALL)) expect(isSignedBy(call, secret)).toBe(true);
  const shown = [output(), service.output(), (await run(['config'])).stdout, (await run(['status'])).stdout];
  expect(findMarkers(shown.join('\n'), [secret, ONCALL, BEAT])).toEqual([]);
});

it('a service that starts without Postgres tells that, and tells nothing before its time', async () => {
  const { start, events, receiver } = await openSite();
  await postgres.stop();
  const service = start(['run']);
  await expect.poll(() => events(ONCALL, 'postgres')).toEqual(['store-away']);
  await postgres.start();
  await service.printed(/the service runs/);
  await expect.poll(() => events(ONCALL, 'postgres')).toEqual(['store-away', 'recovered store-away']);
  expect(receiver.taken(ONCALL).every(({ installation }) => installation === 'plant-1')).toBe(true);
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
