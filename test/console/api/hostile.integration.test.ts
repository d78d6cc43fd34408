import { expect, it } from 'vitest';
import type { z } from 'zod';
import type { ApiRoute } from '../../../src/console/api/route.ts';
import { apiRoutes } from '../../../src/console/api/routes.ts';
import { API_ROOT } from '../../../src/console/api/serve-api.ts';
import { fillHistory } from '../../../src/sync/history/fill-history.ts';
import { openSimulatedPlant } from '../../support/plant-context.ts';
import { startContextConsole } from '../start-console.ts';

const nowMs = Date.UTC(2026, 2, 1, 12);
const iso = (agoHours: number) => new Date(nowMs - agoHours * 3_600_000).toISOString();

const cursorOf = (parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url');

/** Texts that have broken some parser, pattern, statement or cursor somewhere. */
const texts = [
  ...['', 'a\0b', '\ud800', "'; drop table x; --", '{a,b}'.repeat(20), '!(!(*))', '+(+(+(a|a)))b', '['],
  ...['NaN', '-Infinity', '-1', '1e999', '1.5', '2147483648', '9223372036854775808', '99999999999999999999'],
  ...['-999999999d', '0001-01-01', '9999-12-31T23:59:59Z', '+275760-09-13T00:00:00Z', '2026-02-30'],
  ...['1.1', '9999999999999999.999999999999999', 'x'.repeat(5_000), '*'],
  ...[cursorOf([1e300, '', '', '', '']), cursorOf([1.5, '', '', '', '']), cursorOf([1, '\0', '', '', ''])],
];
const values = [...texts, 0, -1, 2 ** 31, 2 ** 53, null, true, [], {}, [1e15], texts.slice(0, 8)];
const bodies = [null, 1, 'x', [], [[[]]]];

/** What every operation takes, where nothing else is tried. */
const fitting: Record<string, unknown> = {
  ...{ from: iso(3), to: iso(1), series: 'pump/temp', store: 'postgres', stream: 'history', columns: 20 },
  ...{ ids: [1], note: 'n', targets: ['history'], target: 'history' },
};

interface Attempt {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

function* attemptsOn({ method, path, params, query, body }: ApiRoute): Generator<Attempt> {
  const at = (value: string) => path.replaceAll(/\{\w+\}/g, encodeURIComponent(value.toWellFormed()));
  const plain = method === 'get' ? {} : { body: {} };
  if (params !== undefined)
    for (const value of texts.filter((text) => text !== '')) yield { method, path: at(value), ...plain };
  for (const [key, others] of keysOf(query))
    for (const value of texts)
      yield { method, path: `${at('1')}?${new URLSearchParams({ ...others, [key]: value })}`, ...plain };
  for (const [key, others] of keysOf(body))
    for (const value of values) yield { method, path: at('1'), body: { ...others, [key]: value } };
  if (method !== 'get') for (const value of bodies) yield { method, path: at('1'), body: value };
}

/** Lists the keys of a part of a request, each with what fits the others. */
function keysOf(schema: z.ZodType | undefined): [string, Record<string, string>][] {
  const keys = Object.keys((schema as { shape?: object } | undefined)?.shape ?? {});
  const fit = Object.fromEntries(keys.filter((key) => key in fitting).map((key) => [key, fitting[key]]));
  return keys.map((key) => [key, fit as Record<string, string>]);
}

it('no value of a parameter makes an operation fail', { timeout: 180_000 }, async () => {
  const plant = await openSimulatedPlant({ size: { objects: 0, persons: 0 }, nowMs: () => nowMs }, () => ({
    runtime: [{ objects: 'pump', properties: 'temp', current: false, history: { start: '10m' } }],
  }));
  const points = [[nowMs - 5_400_000, 1]] as [number, number][];
  plant.simulator.addObject({ name: 'pump', properties: [{ name: 'temp', points }] });
  const range = { from: (nowMs - 7_200_000) * 1000, to: (nowMs - 3_600_000) * 1000 };
  await fillHistory(plant.ctx, { mode: 'backfill', ...range });
  const url = await startContextConsole(plant.ctx);
  const failed: string[] = [];
  const attempt = async ({ method, path, body }: Attempt) => {
    const sent =
      body === undefined
        ? {}
        : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const told = `${method} ${path.slice(0, 200)} ${JSON.stringify(body)?.slice(0, 100)}`;
    try {
      const reply = await fetch(`${url}${API_ROOT}${path}`, { method: method.toUpperCase(), ...sent });
      const text = await reply.text();
      if (reply.status >= 500) failed.push(`${told}: ${reply.status} ${text.slice(0, 200)}`);
    } catch (error) {
      failed.push(`${told}: ${error}`);
    }
  };
  // The overview and the queues take no parameter of their own that reaches a store.
  const attempts = apiRoutes
    .filter(({ path }) => !/^.(overview|queues|jobs)/.test(path))
    .flatMap((route) => [...attemptsOn(route)]);
  expect(attempts.length).toBeGreaterThan(1_000);
  const rest = attempts.values();
  await Promise.all(
    Array.from({ length: 6 }, async () => {
      for (const each of rest) await attempt(each);
    }),
  );
  expect(failed).toEqual([]);
});
