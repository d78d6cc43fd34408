import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, inject, it } from 'vitest';
import { makeSimulatedProject, openSimulator } from '../../support/program/simulated-project.ts';
import { freePort } from '../../support/servers/process.ts';
import { startTraceReceiver } from '../../support/servers/trace-receiver.ts';
import { noAlarms, onlyStreams } from '../../support/stream-switches.ts';

const secret = 'SECRET+canary/01=';
const headers = 'authorization=Bearer%20HEADERcanary,x-tenant=plant';
/** A value that no span may tell, and that occurs in no time or count by chance. */
const value = 876_543_210.5;

/** Makes a project with one series that has ten points. `more` goes into the configuration. */
async function openProject(more: object = {}) {
  const simulator = await openSimulator({ secret, size: { objects: 0, persons: 3 } });
  const points = Array.from({ length: 10 }, (_, k) => [Date.now() - (k + 1) * 60_000, value] as const);
  simulator.addObject({ name: 'pump1', properties: [{ name: 'temp', points }] });
  const project = await makeSimulatedProject(simulator, ({ postgres }) => ({
    postgres,
    streams: onlyStreams('persons'),
    alarms: noAlarms,
    runtime: [
      {
        objects: 'pump1',
        properties: 'temp',
        current: { every: '1s' },
        history: { start: '1h', every: '1s' },
      },
    ],
    ...more,
  }));
  writeFileSync(join(project.folder, 'headers'), `${headers}\n`);
  return project;
}

describe('the log of the service', () => {
  it('is JSON with time, level by name, and message first where no terminal reads it', async () => {
    const project = await openProject();
    const service = project.start(['run']);
    await service.printed(/persons is up to date/);
    service.process.kill('SIGTERM');
    const { code, stdout, stderr } = await service.ended;
    expect([code, stdout]).toEqual([0, '']);
    const lines = stderr.trim().split('\n');
    for (const line of lines) {
      const entry = JSON.parse(line);
      expect(Object.keys(entry).slice(0, 3)).toEqual(['time', 'level', 'msg']);
      expect(entry.level).toMatch(/^(info|warn|error)$/);
    }
    expect(lines.map((line) => JSON.parse(line).msg)).toContain('the service has ended');
  });

  it('is text where log.format says so', async () => {
    const project = await openProject({ log: { format: 'text' } });
    const { stderr } = await project.start(['sync', 'persons', '--log-level', 'debug']).ended;
    expect(stderr).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ DEBUG the platform replied {2}operation=/m);
    expect(stripVTControlCharacters(stderr)).toBe(stderr);
  });
});

describe('the log on a terminal', () => {
  it('is coloured text above whole bars, and without colours where nobody wants them', async () => {
    const influx = { url: `http://127.0.0.1:${await freePort()}`, version: 1, database: 'plant' };
    const project = await openProject({ influx });
    const look = async (args: string, env: Record<string, string> = {}) => {
      const command = `stty cols 100 rows 40; node ${inject('program')} sync persons ${args}`;
      const { stdout } = spawn('script', ['-qec', command, '/dev/null'], {
        ...{ cwd: project.folder, stdio: ['ignore', 'pipe', 'inherit'] },
        env: { PATH: process.env.PATH ?? '', HOME: project.folder, TERM: 'xterm-256color', ...env },
      });
      return (await text(stdout)).replaceAll('\r\n', '\n');
    };
    const seen = await look('');
    const bare = stripVTControlCharacters(seen);
    expect(seen).toContain('\u001b[33mWARN \u001b[0m');
    expect(bare).toMatch(/^\S+Z WARN {2}a store cannot be reached: going on without it until it answers *$/m);
    expect(bare).toMatch(/^ {4}store=influx:\S+/m);
    expect(bare).toMatch(/^persons +█+ 100% {2}3\/3 records .* done$/m);
    const plain = await look('', { NO_COLOR: '1' });
    expect(plain).toMatch(/Z WARN {2}a store cannot be reached/);
    expect(plain).not.toContain('\u001b[33m');
    expect(await look('--log-format json')).toMatch(/"level":"warn","msg":"a store cannot be reached/);
  });
});

describe('traces', () => {
  it('show runs, windows, requests and writes, each within the one around it, and tell no secret and no value', async () => {
    const receiver = await startTraceReceiver();
    const project = await openProject({
      tracing: { enabled: true, endpoint: receiver.url, headersFile: './headers' },
    });
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' };
    const { code, stderr } = await project.start(['sync', '--log-level', 'info'], env).ended;
    expect([code, stderr]).toEqual([0, expect.not.stringMatching(/traces are lost|canary/)]);
    expect(receiver.requests[0]).toMatchObject({
      path: '/v1/traces',
      headers: { authorization: 'Bearer HEADERcanary', 'x-tenant': 'plant' },
    });
    expect(receiver.resources()[0]).toMatchObject({ 'service.name': 'plantsync' });
    const spans = receiver.spans();
    const find = (name: string) => spans.find((span) => span.name === name);
    expect(find('run history')).toMatchObject({
      around: [],
      failed: false,
      facts: { 'plantsync.stream': 'history', 'plantsync.status': 'done', 'plantsync.records': 10 },
    });
    expect(find('window history')).toMatchObject({
      around: ['run history'],
      facts: { 'plantsync.series': 1 },
    });
    const within = (name: string) => spans.filter((span) => span.around[0] === name).map((span) => span.name);
    expect(within('window history')).toEqual(
      expect.arrayContaining(['request readHistory', 'write postgres']),
    );
    expect(within('run persons')).toEqual(expect.arrayContaining(['request listPersons', 'write postgres']));
    const writes = spans.filter(
      ({ name, around }) => name === 'write postgres' && around[1] === 'run history',
    );
    expect(new Set(writes.map(({ around }) => around[0]))).toEqual(new Set(['window history']));
    expect(writes.reduce((sum, { facts }) => sum + Number(facts['plantsync.written']), 0)).toBe(10);
    const told = receiver.requests.map(({ body }) => body).join('\n');
    expect(told).not.toMatch(/canary|876543210/);
    expect(told).not.toContain(project.databases.sections.postgres.url);
  });

  it('are sent to nobody unless they are switched on', async () => {
    const receiver = await startTraceReceiver();
    const project = await openProject();
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url };
    expect(await project.start(['sync', 'persons'], env).ended).toMatchObject({ code: 0 });
    expect(receiver.requests).toEqual([]);
    const switched = { ...env, PLANTSYNC_TRACING__ENABLED: 'true' };
    expect(await project.start(['sync', 'persons'], switched).ended).toMatchObject({ code: 0 });
    expect(receiver.spans().map(({ name }) => name)).toContain('run persons');
  });

  it('mark what failed with its code, and hold up no end of the process', async () => {
    const receiver = await startTraceReceiver({ hangs: true });
    const project = await openProject({ tracing: { enabled: true, endpoint: receiver.url } });
    project.simulator.setFaults([
      { kind: 'status', status: 503, message: `no ${secret}`, operation: 'listPersons' },
    ]);
    const { code, stderr } = await project.start(['sync', 'persons', '--log-level', 'info'], {
      PLANTSYNC_PLATFORM__RETRIES: '0',
    }).ended;
    expect(code).toBe(1);
    // The end of the process has cut the delivery off: no limit of time has.
    expect(stderr).toMatch(/"msg":"traces are lost[^\n]*the process ends/);
    const failed = receiver.spans().filter((span) => span.failed);
    expect(failed).toContainEqual(
      expect.objectContaining({
        name: 'request listPersons',
        around: ['run persons'],
        facts: expect.objectContaining({
          'http.response.status_code': 503,
          'error.type': 'platform.overloaded',
        }),
      }),
    );
    expect(receiver.requests.map(({ body }) => body).join('')).not.toMatch(/canary/);
  });
});
