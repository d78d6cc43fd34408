import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCommandLine } from '../../../src/cli/run-command-line.ts';
import { runCommand } from '../../support/program/run-command.ts';

let folder: string;
let pump: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'plantsync-simulate-'));
  pump = join(folder, 'pump.csv');
  writeFileSync(pump, 'at,time,temp\n,,°C\n2024-05-01 08:00,1,20\n2024-05-01 09:00,2,20.5\n');
});
afterAll(() => rmSync(folder, { recursive: true }));

interface Announced {
  readonly baseUrl: string;
  readonly replayed: unknown;
}

/** Starts `plantsync simulate`, looks at it, and interrupts it. Resolves to its exit code. */
async function simulate(
  args: readonly string[],
  look: (announced: Announced) => Promise<void>,
): Promise<number> {
  const [ending, stdout, stderr] = [new AbortController(), new PassThrough(), new PassThrough()];
  const io = { stdin: process.stdin, stdout, stderr, env: {}, signal: ending.signal };
  const command = runCommandLine(io as unknown as Parameters<typeof runCommandLine>[0], [
    'simulate',
    '--json',
    ...['--port', '0'],
    ...['--size', 'tiny'],
    ...args,
  ]);
  const line = new Promise<string>((resolve) => {
    stdout.setEncoding('utf8').once('data', resolve);
  });
  try {
    const announced = await Promise.race([line, command.then(() => stderr.setEncoding('utf8').read())]);
    await look(JSON.parse(String(announced)));
  } finally {
    ending.abort();
  }
  return command;
}

async function json(url: string): Promise<unknown> {
  return (await fetch(url)).json();
}

describe('plantsync simulate', () => {
  test('replays CSV files, their object, column of times and zone as asked for', async () => {
    const args = ['--replay', pump, '--replay', `other=${pump}`];
    const times = ['--replay-time-column', 'at', '--replay-timezone', 'America/New_York'];
    const code = await simulate([...args, ...times], async ({ baseUrl, replayed }) => {
      const properties = ['time', 'temp'];
      expect(replayed).toMatchObject([
        { object: 'pump', properties, rows: 2 },
        { object: 'other', properties, rows: 2 },
      ]);
      const range = 'from=2024-05-01T00:00:00Z&to=2024-05-02T00:00:00Z';
      expect(await json(`${baseUrl}/simulator/truth/history?series=other.temp&${range}`)).toEqual({
        points: [
          [Date.UTC(2024, 4, 1, 12), 20],
          [Date.UTC(2024, 4, 1, 13), 20.5],
        ],
        next: null,
      });
    });
    expect(code).toBe(0);
  });

  test('adds what no contract allows if it is told to', async () => {
    const keys = async (args: readonly string[]) => {
      let found: unknown[] = [];
      await simulate(args, async ({ baseUrl }) => {
        const { appId, secret } = { appId: 'demo-app', secret: 'demo-secret' };
        const query = new URLSearchParams({ appid: appId, secret, grantType: 'client_credential' });
        const token = (await json(`${baseUrl}/oauth2/client/v1/accessToken?${query}`)) as {
          accessToken: string;
        };
        const headers = { authorization: `Bearer ${token.accessToken}` };
        const reply = await fetch(`${baseUrl}/openapi/persons/v1`, { headers });
        const { list } = (await reply.json()) as { list: { name: unknown }[] };
        found = list.map(({ name }) => name);
      });
      return found;
    };
    expect(await keys([])).not.toContain(null);
    expect(await keys(['--malformed'])).toContain(null);
  });

  test('prints the type of each series and the backfill that loads the file', async () => {
    const [ending, stdout] = [new AbortController(), new PassThrough()];
    const io = { stdin: process.stdin, stdout, stderr: new PassThrough(), env: {}, signal: ending.signal };
    const args = [
      'simulate',
      '--port',
      '0',
      '--size',
      'tiny',
      '--replay',
      pump,
      '--replay-time-column',
      'at',
    ];
    const command = runCommandLine(io as unknown as Parameters<typeof runCommandLine>[0], args);
    const text = await new Promise<string>((resolve) => {
      stdout.setEncoding('utf8').once('data', resolve);
    });
    ending.abort();
    expect(await command).toBe(0);
    expect(text).toContain('temp: Double, 2 points, 0 missing');
    expect(text).toContain('left out: the row of units below the header (°C)');
    expect(text).toMatch(
      /plantsync backfill --object 'pump' \\\n +--from 2024-05-01T08:00:00Z --to 2024-05-01T09:00:01Z/,
    );
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  test('lists all values of dialects and faults', async () => {
    const ask = (option: string) => runCommand(folder, ['simulate', option, 'help']);
    expect((await ask('--dialect')).stdout).toContain(
      'historyOrder: one of ascending, descending (default: ',
    );
    expect((await ask('--fault')).stdout).toContain('delayMs: a number from 0');
  });

  test.each([
    [['--dialect', 'historyOrder=banana'], /historyOrder: "banana" is not one of ascending, descending/],
    [['--dialect', 'historyTimes=local'], /historyTimes: "local" is not one of utc, /],
    [['--fault', '{kind: latency, ms: 5}'], /ms: unknown key; known are kind, /],
    [['--replay', 'none.csv'], /the simulator cannot start: none\.csv: there is no such file/],
    [['--replay', './a=b.csv'], /\.\/a=b\.csv: there is no such file/],
    [['--replay', 'a=b.csv'], /cannot start: b\.csv: there is no such file/],
  ])('refuses %j with code 2', async (args, expected) => {
    const { code, stdout, stderr } = await runCommand(folder, ['simulate', '--port', '0', ...args]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(expected);
  });
});
