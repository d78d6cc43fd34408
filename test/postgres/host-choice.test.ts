import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { HostChoice } from '../../src/postgres/host-choice.ts';
import type { ServerFacts } from '../../src/postgres/server-facts.ts';
import type { ServerPlace } from '../../src/postgres/server-list.ts';

const [a, b]: [ServerPlace, ServerPlace] = [
  { host: 'a', port: 1 },
  { host: 'b', port: 2 },
];
const primary = (timeline: number, system = 'one'): ServerFacts => ({
  ...{ version: '18.4', isReplica: false, isReadOnly: false },
  identity: { system, timeline },
});
const replica: ServerFacts = {
  ...primary(0),
  isReplica: true,
  identity: { system: 'one', timeline: undefined },
};
const ofUnknownHistory: ServerFacts = { ...primary(0), identity: undefined };

/** What each server says: its facts, or nothing for ever. */
type Plant = Record<string, ServerFacts | 'silent' | 'away'>;

function openChoice(
  plant: Plant,
  { servers = [a, b] as [ServerPlace, ...ServerPlace[]], lookMs = 1e6 } = {},
) {
  const warnings: string[] = [];
  const changes: (ServerPlace | undefined)[] = [];
  const choice = new HostChoice({
    servers,
    demand: servers.length > 1 ? 'read-write' : 'any',
    ask: async ({ host }) => {
      const said = plant[host] ?? 'away';
      if (said === 'silent') return new Promise(() => undefined);
      if (said === 'away') throw new Error(`${host} is away`);
      return said;
    },
    log: pino({ level: 'warn' }, { write: (line: string) => void warnings.push(JSON.parse(line).msg) }),
    onChange: () => void changes.push(choice.place),
    lookMs,
  });
  onTestFinished(() => choice.close());
  /** Opens a session, as the users of the choice do. */
  const use = async () => {
    const place = await choice.choose();
    choice.admit(place, plant[place.host] as ServerFacts);
    return place.host;
  };
  return { choice, use, warnings, changes };
}

describe('the server of a session', () => {
  it.each<[string, Plant, string]>([
    ['the only one that takes writes', { a: replica, b: primary(1) }, 'b'],
    ['the one that answers', { a: 'away', b: primary(1) }, 'b'],
    ['the one that answers while another is silent', { a: 'silent', b: primary(1) }, 'b'],
    ['that of the highest timeline', { a: primary(1), b: primary(2) }, 'b'],
    ['the first of several whose history is unknown', { a: ofUnknownHistory, b: ofUnknownHistory }, 'a'],
    ['the one whose transactions may write', { a: { ...primary(3), isReadOnly: true }, b: primary(2) }, 'b'],
  ])('is %s', async (_, plant, expected) => {
    expect(await openChoice(plant).use()).toBe(expected);
  });

  it('is chosen again after a doubt, and its history is noticed', async () => {
    const plant: Plant = { a: primary(1), b: replica };
    const { choice, use, changes } = openChoice(plant);
    expect(await use()).toBe('a');
    plant.b = primary(2);
    expect(await use(), 'without a doubt').toBe('a');
    choice.doubt(a);
    expect(await use()).toBe('b');
    expect(changes).toEqual([b]);
  });

  it('is never one whose timeline is older than that of a server that was used', async () => {
    const plant: Plant = { a: primary(1), b: primary(2) };
    const { choice, use } = openChoice(plant);
    expect(await use()).toBe('b');
    plant.b = 'away';
    choice.doubt(b);
    await expect(choice.choose()).rejects.toMatchObject({
      code: 'postgres.no_primary',
      action: 'retry',
      message: expect.stringMatching(/b is away.*a:1: its timeline 1 is older than timeline 2/),
    });
    const alone = openChoice({ a: primary(2) }, { servers: [a] });
    await alone.use();
    expect(() => alone.choice.admit(a, primary(1))).toThrow(/is not used: its timeline 1 is older/);
  });

  it('is none if servers of two systems take writes, unless one of them is known', async () => {
    const plant: Plant = { a: primary(1), b: primary(4, 'two') };
    await expect(openChoice(plant).choice.choose()).rejects.toMatchObject({ code: 'postgres.other_system' });
    plant.b = 'away';
    const { choice, use } = openChoice(plant);
    expect(await use()).toBe('a');
    plant.b = primary(4, 'two');
    choice.doubt(a);
    expect(await use()).toBe('a');
    // All servers were made again, as by an upgrade of PostgreSQL.
    plant.a = 'away';
    choice.doubt(a);
    expect(await use()).toBe('b');
  });

  it('changes while the old primary still answers, and the log names it once', async () => {
    const plant: Plant = { a: primary(1), b: replica };
    const { choice, use, changes, warnings } = openChoice(plant, { lookMs: 10 });
    expect(await use()).toBe('a');
    plant.b = primary(2);
    await expect.poll(() => choice.place, { interval: 10 }).toEqual(b);
    expect(await use()).toBe('b');
    expect(changes).toEqual([b]);
    expect(choice.others).toEqual(['a:1 (primary, version 18.4, timeline 1)']);
    expect(warnings.filter((text) => text.includes('stop the old primary'))).toHaveLength(1);
  });
});
