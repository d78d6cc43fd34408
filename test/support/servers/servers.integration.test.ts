import { access } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { silentLog } from '../../../src/log.ts';
import { openPostgres } from '../../../src/postgres/connect.ts';
import {
  createDatabase,
  sharedInflux,
  sharedVictoria,
  startInflux,
  startPostgres,
  startRedis,
  startVictoria,
} from './servers.ts';

async function influxQuery(url: string, statement: string): Promise<string> {
  const response = await fetch(`${url}/query?db=kept&q=${encodeURIComponent(statement)}`, { method: 'POST' });
  return response.text();
}

test('the shared servers answer', async () => {
  expect((await fetch(`${sharedInflux().url}/ping`)).status).toBe(204);
  expect((await fetch(`${sharedVictoria().url}/health`)).status).toBe(200);
});

test('a database that is dropped while connections are open is reported', async () => {
  const made = await createDatabase();
  const db = openPostgres(made.options, silentLog);
  await db.query('select 1');
  await expect(made.drop()).rejects.toThrow(/1 connections to the test database were not closed: plantsync/);
  await db.close();
});

test('InfluxDB keeps its data and address over kill -9 and restart', async () => {
  const server = await startInflux();
  await influxQuery(server.url, 'create database kept');
  await fetch(`${server.url}/write?db=kept`, { method: 'POST', body: 'm,t=a value=1 1' });
  await server.kill();
  await expect(fetch(`${server.url}/ping`)).rejects.toThrow();
  await server.start();
  expect(await influxQuery(server.url, 'select count(value) from m')).toMatch('["1970-01-01T00:00:00Z",1]');
  await server.close();
});

test('InfluxDB asks for credentials if it was started so', async () => {
  const server = await startInflux({ auth: true });
  await influxQuery(server.url, `create user root with password 'x' with all privileges`);
  expect(await influxQuery(server.url, 'show databases')).toMatch(
    'unable to parse authentication credentials',
  );
  await server.close();
});

test('VictoriaMetrics restarts on the same address', async () => {
  const server = await startVictoria();
  await server.stop();
  await server.start();
  expect((await fetch(`${server.url}/health`)).status).toBe(200);
  await server.close();
});

test('Redis restarts on the same address', async () => {
  const server = await startRedis();
  await server.kill();
  await server.start();
  expect(server.url).toMatch(/^redis:\/\/127.0.0.1:\d+$/);
  await server.close();
});

test('PostgreSQL keeps its data and address over kill -9 and restart', async () => {
  const server = await startPostgres();
  const db = openPostgres(server.options, silentLog);
  await db.query('create table kept as select 1 as one');
  await server.kill();
  await server.start();
  expect((await db.query('select one from kept')).rows).toEqual([{ one: 1 }]);
  await db.close();
  await server.close();
  await expect(access(server.home)).rejects.toThrow();
});
