import { afterEach, describe, expect, test } from 'vitest';
import type { FaultRule } from '../../src/simulator/faults.ts';
import type { SimulatorDialect } from '../../src/simulator/simulator-dialect.ts';
import { startSimulator } from '../../src/simulator/start-simulator.ts';
import { openSession, type Session } from './session.ts';

let session: Session | undefined;
afterEach(async () => {
  await session?.simulator.close();
  session = undefined;
});

describe('a dialect', () => {
  test.each([
    [{ historyOrder: 'banana' }, 'historyOrder: "banana" is not one of ascending, descending'],
    [{ historyOrder: 'ascendin' }, 'did you mean ascending?'],
    [{ hiddenCap: 'abc' }, 'hiddenCap: "abc" is not a whole number from 1 or null'],
    [{ hiddenCap: -1 }, 'hiddenCap: -1 is not a whole number from 1 or null'],
    [{ ignoreBounds: 'le' }, 'ignoreBounds: "le" is not one of none, ge, lt, both'],
    [{ historyTimes: 'local' }, 'historyTimes: "local" is not one of utc, utc-millis'],
    [{ refreshOnce: 'yes' }, 'refreshOnce: "yes" is not true or false'],
    [{ historySelect: ['quoted', 'bare'] }, 'historySelect[1]: "bare" is not one of quoted, unquoted'],
    [{ zone: 'Mars/Base' }, 'zone: "Mars/Base" is not an IANA time zone'],
    [{ tokenPlace: { in: 'header', name: 'X' } }, 'tokenPlace.scheme: missing'],
    [{ histroyOrder: 'ascending' }, 'histroyOrder: unknown key; did you mean historyOrder?'],
  ])('%j is refused with key, value and the values that there are', async (dialect, expected) => {
    const given = dialect as Partial<SimulatorDialect>;
    await expect(startSimulator({ size: 'tiny', dialect: given })).rejects.toThrow(expected);
  });
});

describe('a fault', () => {
  test.each([
    [{ kind: 'latency', ms: 5 }, 'ms: unknown key; known are kind, operation'],
    [{ kind: 'slow', delayms: 5 }, 'delayms: unknown key; did you mean delayMs?'],
    [{ kind: 'latency', delayMs: -5 }, 'delayMs: -5 is not a number from 0'],
    [{ kind: 'latency' }, 'delayMs: missing'],
    [{ kind: 'status', status: '503' }, 'status: "503" is not a whole number from 200 to 599'],
    [{ kind: 'status', times: 1.5 }, 'times: 1.5 is not a whole number from 0'],
    [{ kind: 'reset', probability: 20 }, 'probability: 20 is not a number from 0 to 1'],
    [{ kind: 'reset', operation: 'listPerson' }, 'did you mean listPersons?'],
    [{ kind: 'reset', status: 503 }, 'status: a fault of kind reset does not take it'],
    [{ kind: 'resett' }, 'kind: "resett" is not one of status'],
  ])('%j is refused by the option and by the route, and the rules in force stay', async (rule, expected) => {
    const faults = [rule as FaultRule];
    await expect(startSimulator({ size: 'tiny', faults })).rejects.toThrow(expected);
    session = await openSession({ faults: [{ kind: 'html', operation: 'listUsers' }] });
    const url = `${session.simulator.baseUrl}/simulator/faults`;
    const reply = await fetch(url, { method: 'PUT', body: JSON.stringify(faults) });
    expect(reply.status).toBe(400);
    expect(((await reply.json()) as { message: string }).message).toContain(expected);
    expect((await session.get('/openapi/users/v1')).status).toBe(502);
  });
});

test.each([
  ['PUT', 'token-lifetime', { seconds: -5 }, 'seconds: -5 is not a number from 0'],
  ['PUT', 'token-lifetime', { second: 5 }, 'second: unknown key; did you mean seconds?'],
  ['POST', 'revoke-tokens', { refreshToken: true }, 'did you mean refreshTokens?'],
  ['POST', 'changes', { collection: 'person', kind: 'remove', key: 'a' }, 'did you mean persons?'],
  ['POST', 'changes', { collection: 'persons', kind: 'update', key: 'a' }, 'kind update needs it'],
  ['POST', 'objects', { properties: [] }, 'name: missing'],
  ['POST', 'objects', { name: 'a', properties: [{ name: 'b', points: [[{}, 1]] }] }, 'points'],
  ['POST', 'points', { name: 'a.b', points: [] }, 'series: missing'],
  ['POST', 'alarms', { sourceObjName: 'a', sourcePropName: 'b', priority: 11 }, 'from 1 to 10'],
  ['PUT', 'dialect', { hiddenCap: 'abc' }, 'hiddenCap: "abc" is not'],
  ['GET', 'journal?limit=ten', undefined, 'limit: "ten" is not a whole number'],
  ['GET', 'truth/series?offset=-1', undefined, 'offset: "-1" is not a whole number'],
])('%s /simulator/%s with %j is refused', async (method, path, body, expected) => {
  session = await openSession();
  const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
  const reply = await fetch(`${session.simulator.baseUrl}/simulator/${path}`, init);
  expect(reply.status).toBe(400);
  expect(((await reply.json()) as { message: string }).message).toContain(expected);
});

test.each([
  [{ size: 'huge' }, 'size: "huge" is not one of tiny, small, medium, large'],
  [{ size: { objects: -1 } }, 'is not one of tiny'],
  [{ seed: -1 }, 'seed: -1 is not a whole number from 0'],
  [{ port: 99_999 }, 'port: 99999 is not a whole number from 0 to 65535'],
  [{ tokenLifetimeSec: Number.NaN }, 'tokenLifetimeSec'],
])('the option %j is refused', async (options, expected) => {
  await expect(startSimulator({ port: 0, ...options } as object)).rejects.toThrow(expected);
});
