import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { faultKinds } from './kinds.ts';
import { measureFault } from './measure.ts';
import { settle } from './settle.ts';
import { type FaultSite, openFaultSite } from './site.ts';

let site: FaultSite;
beforeAll(async () => {
  site = await openFaultSite('redis', { main: inject('program'), seed: 1 });
  await settle(site);
});
afterAll(() => site.close());

it.each(['Redis lost its data', 'InfluxDB killed', 'disk of Postgres full'])(
  'the service gets over it: %s',
  async (name) => {
    const kind = faultKinds.find((each) => each.name === name);
    const [part] = site.parts;
    if (kind === undefined || part === undefined) throw new Error(`there is no fault ${name}`);
    const lack = kind.needs?.(site);
    if (lack !== undefined) return console.log(`${name}: not tried, ${lack}`);
    const finding = await measureFault(site, { kind, part, holdMs: 1_000, patienceMs: 100_000 });
    expect(finding.troubles).toEqual([]);
  },
);
