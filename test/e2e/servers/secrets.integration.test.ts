import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findMarkers } from '../../support/markers.ts';
import type { PlantDatabases } from '../../support/plant-databases.ts';
import { makeRole } from '../../support/postgres-role.ts';
import { freePort } from '../../support/servers/process.ts';
import { createDatabase, startInflux, type TestServer } from '../../support/servers/servers.ts';
import type { StubAnswer, StubRequest } from '../../support/stub/platform.ts';
import { makeStubPlant, smallPlant } from '../../support/stub/stub-plant.ts';

/** The secret has characters that one encoder of addresses encodes and another leaves as they are. */
const secret = "SECRET+canary/01=!x*(q)'";
const postgresPassword = 'PGcanary#1';
const influxPassword = 'TScanary#1';
const markers = [secret, 'ATcanary-', 'RTcanary-', postgresPassword, influxPassword];

const TOKEN = '/oauth2/client/v1/accessToken';
const PERSONS = '/openapi/persons/v1';

let influx: TestServer;
beforeAll(async () => {
  influx = await startInflux({ auth: true });
  const query = `create user plantsync with password '${influxPassword}' with all privileges`;
  const reply = await fetch(`${influx.url}/query`, {
    method: 'POST',
    body: new URLSearchParams({ q: query }),
  });
  expect(reply.status).toBe(200);
});
afterAll(() => influx.close());

/** Answers as a platform, or a gateway before it, that quotes the request. */
const quote = ({ path, rawQuery, headers }: StubRequest) =>
  `cannot serve ${path}?${rawQuery} ${decodeURIComponent(rawQuery)} with ${headers.authorization}`;

/** Makes a plant whose configuration holds a marked secret in every place for one. */
async function makeMarkedPlant(answer: (request: StubRequest) => StubAnswer | undefined = () => undefined) {
  const points = [[new Date(Date.now() - 600_000).toISOString(), 1]] as const;
  const script = { ...smallPlant(points), tokenName: 'canary', answer };
  const plant = await makeStubPlant(script, undefined, createDatabase);
  const url = new URL(plant.databases.sections.postgres.url);
  url.username = await makeRole(plant.databases, postgresPassword);
  const config = {
    platform: {
      baseUrl: plant.stub.baseUrl,
      appId: 'app',
      secret,
      retries: 1,
      requestTimeout: '1s',
      deadline: '4s',
    },
    postgres: { url: url.href, password: postgresPassword },
    influx: {
      url: influx.url,
      version: 1,
      database: plant.databases.db.database,
      username: 'plantsync',
      password: influxPassword,
    },
    runtime: [{ current: { every: '1s' }, history: { start: '1h', every: '1s' } }],
  };
  plant.configure(config);
  return { ...plant, config };
}

/** Returns everything that is stored, as text. */
async function dump({ rows }: PlantDatabases): Promise<string> {
  const tables = await rows(
    `select format('%I.%I', nspname, relname) from pg_class join pg_namespace n on n.oid = relnamespace
     where nspname in ('plant', 'plantsync') and relkind in ('r', 'p')`,
  );
  const texts = await Promise.all(tables.map((table) => rows(`select t::text from ${table} as t`)));
  return texts.flat().join('\n');
}

type Plant = Awaited<ReturnType<typeof makeMarkedPlant>>;

interface Course {
  readonly syncCode: number;
  /** Whether the service ends by itself with code 1, instead of going on. */
  readonly endsItself?: boolean;
  /** Tells whether the service has had enough time. */
  readonly until?: () => boolean;
}

/** Runs `sync`, and the service, until the output matches. Expects that neither shows a secret anywhere. */
async function expectNoSecret(
  plant: Plant,
  said: RegExp,
  { syncCode, endsItself = false, until = () => true }: Course,
): Promise<void> {
  const ended = await plant.start(['sync', '--log-level', 'trace']).ended;
  expect(ended.output).toMatch(said);
  expect(ended.code, ended.output).toBe(syncCode);
  expect(findMarkers(ended.output, markers), ended.output).toEqual([]);

  const service = plant.start(['run', '--log-level', 'trace']);
  const commandLine = readFileSync(`/proc/${service.process.pid}/cmdline`, 'utf8');
  await service.printed(said);
  while (!until()) await sleep(100);
  if (!endsItself) service.process.kill('SIGTERM');
  const { code, output } = await service.ended;
  expect(findMarkers(output, markers), output).toEqual([]);
  expect(findMarkers(commandLine, markers)).toEqual([]);
  expect(findMarkers(await dump(plant.databases), markers)).toEqual([]);
  expect(code, output).toBe(endsItself ? 1 : 0);
}

const html = (text: string) => `<html><body><h1>Internal error</h1>${text}</body></html>`;
const onToken = (answer: (request: StubRequest) => StubAnswer) => (request: StubRequest) =>
  request.path === TOKEN ? answer(request) : undefined;
const onPersons = (answer: (request: StubRequest) => StubAnswer) => (request: StubRequest) =>
  request.path === PERSONS ? answer(request) : undefined;
const renewalRefused = (request: StubRequest): StubAnswer | undefined =>
  request.path.endsWith('/refreshToken')
    ? { status: 400, body: { code: '800001', message: quote(request) } }
    : undefined;

const tokenCall = /access token request at 127\.0\.0\.1:\d+ failed/;
const page = /listPersons [^"]*at 127\.0\.0\.1:\d+ failed/;

const faults: [
  what: string,
  answer: (request: StubRequest) => StubAnswer | undefined,
  said: RegExp,
  code: number,
][] = [
  ['the token call is cut off', onToken(() => ({ fault: 'reset' })), tokenCall, 1],
  [
    'the token call is refused',
    onToken((request) => ({ status: 400, body: { code: '800001', message: quote(request) } })),
    tokenCall,
    1,
  ],
  [
    'the token call is answered by a page of HTML',
    onToken((request) => ({
      status: 500,
      text: html(quote(request)),
      headers: { 'content-type': 'text/html' },
    })),
    tokenCall,
    1,
  ],
  ['the token call is not answered', onToken(() => ({ fault: 'silent' })), tokenCall, 1],
  [
    'a page is refused for its token',
    onPersons((request) => ({ status: 401, body: { message: quote(request) } })),
    page,
    3,
  ],
  ['a page holds broken JSON', onPersons((request) => ({ text: `{"list":[${quote(request)}` })), page, 3],
];

describe('no secret is told', () => {
  it.each(faults)('where %s', async (_, answer, said, code) => {
    await expectNoSecret(await makeMarkedPlant(answer), said, { syncCode: code });
  });

  it.each([
    ['works', () => undefined],
    ['is refused', renewalRefused],
  ])('where all is well, and the renewal of the token %s', async (_, answer) => {
    const plant = await makeMarkedPlant(answer);
    plant.stub.script.expiresIn = '3';
    // The service runs until its token was renewed, or the renewal was refused.
    const until = () => plant.stub.tokenRequests().some(({ path }) => path.endsWith('/refreshToken'));
    await expectNoSecret(plant, /is up to date|done/, { syncCode: 0, until });
    const sent = plant.stub.journal.map(({ rawQuery, token }) => `${rawQuery} ${token}`).join('\n');
    expect(findMarkers(sent, markers)).toEqual([secret, 'ATcanary-', 'RTcanary-']);
    expect(await plant.databases.rows('select count(*) from plantsync.tokens')).toEqual([1]);
  });

  it('where InfluxDB refuses the login', async () => {
    const plant = await makeMarkedPlant();
    plant.configure({ ...plant.config, influx: { ...plant.config.influx, password: `${influxPassword}no` } });
    await expectNoSecret(plant, /InfluxDB "\w+" at 127\.0\.0\.1:\d+/, { syncCode: 1, endsItself: true });
  });

  it('where Postgres is down', async () => {
    const plant = await makeMarkedPlant();
    const url = `postgres://plantsync@127.0.0.1:${await freePort()}/plant`;
    plant.configure({ ...plant.config, postgres: { url, password: postgresPassword } });
    await expectNoSecret(plant, /PostgreSQL at 127\.0\.0\.1:\d+ cannot be reached/, { syncCode: 1 });
  });

  it('where Postgres refuses the login', async () => {
    const plant = await makeMarkedPlant();
    const { postgres } = plant.config;
    const url = new URL(postgres.url);
    url.password = encodeURIComponent(`${postgresPassword}no`);
    plant.configure({ ...plant.config, postgres: { url: url.href } });
    await expectNoSecret(plant, /PostgreSQL at 127\.0\.0\.1:\d+ refused the login/, {
      syncCode: 1,
      endsItself: true,
    });
  });
});
