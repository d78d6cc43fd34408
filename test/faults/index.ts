/**
 * `npm run faults -- [--engine redis|none] [--only TEXT] [--seeds 1] [--hold 15] [--patience 200]` lets every
 * fault of `kinds.ts` happen to the service, and prints how the service recovers. The exit code is 1 if a job
 * does not run again, or a point is lost or stored twice. It is also 1 if the service is ready while jobs are
 * overdue.
 */
import { parseArgs } from 'node:util';
import { buildProgram, removeProgram } from '../support/program/build-program.ts';
import { type FaultKind, faultKinds } from './kinds.ts';
import { type Finding, measureFault } from './measure.ts';
import { settle } from './settle.ts';
import { type EngineKind, openFaultSite } from './site.ts';

const { values } = parseArgs({
  options: {
    engine: { type: 'string' },
    only: { type: 'string', default: '' },
    seeds: { type: 'string', default: '1' },
    hold: { type: 'string', default: '15' },
    patience: { type: 'string', default: '200' },
  },
});
const engines = (['none', 'redis'] as const).filter(
  (engine) => values.engine === undefined || engine === values.engine,
);
const [holdMs, patienceMs] = [Number(values.hold) * 1000, Number(values.patience) * 1000];
const troubles: string[] = [];
/** The running fault comes to its end, so that nothing of it stays. */
let isInterrupted = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    isInterrupted = true;
  });
const main = await buildProgram();
const lines = [
  '| engine | fault | jobs again after (s) | lost (Postgres / InfluxDB) | doubled (Postgres / InfluxDB) | /readyz meanwhile |',
  '|---|---|---|---|---|---|',
];

async function tryAll(engine: EngineKind, seed: number): Promise<void> {
  const kinds = faultKinds.filter(
    (kind) => (kind.engine ?? engine) === engine && kind.name.includes(values.only),
  );
  if (kinds.length === 0) return;
  const site = await openFaultSite(engine, { main, seed });
  try {
    await settle(site);
    for (const [k, kind] of kinds.entries()) {
      if (isInterrupted) break;
      const part = site.parts[(seed + k) % site.parts.length];
      if (part === undefined) throw new Error('the service has no process');
      const lack = kind.needs?.(site);
      if (lack !== undefined) {
        console.log(`${engine}, ${kind.name}: not tried, ${lack}`);
        continue;
      }
      const finding = await measureFault(site, { kind, part, holdMs, patienceMs });
      report(engine, kind, finding);
    }
  } finally {
    await site.close();
    console.log(`the logs of ${engine}, seed ${seed}: ${site.logs}`);
  }
}

function report(engine: EngineKind, { name }: FaultKind, finding: Finding): void {
  const slowest = [...finding.seconds].toSorted(([, a = Infinity], [, b = Infinity]) => b - a);
  const shown = slowest.slice(0, 2).map(([job, took]) => `${job} ${took?.toFixed(0) ?? 'never'}`);
  const said = finding.readiness.filter((answer) => answer !== 'ready').slice(0, 2);
  const [lost, doubled] = (['lost', 'doubled'] as const).map((what) =>
    finding.points.map((count) => count[what]).join(' / '),
  );
  lines.push(
    `| ${engine} | ${name} | ${shown.join(', ')} | ${lost} | ${doubled} | ${said.join(' / ') || 'ready'} |`,
  );
  console.log(lines.at(-1));
  console.log(`    status said: ${finding.status}`);
  for (const trouble of finding.troubles) {
    troubles.push(`${engine}, ${name}: ${trouble}`);
    console.log(`    WRONG: ${trouble}`);
  }
}

try {
  for (const engine of engines)
    for (let seed = 1; seed <= Number(values.seeds); seed += 1) await tryAll(engine, seed);
} finally {
  await removeProgram();
}
console.log(['', ...lines, ''].join('\n'));
console.log(troubles.length === 0 ? 'all is well' : troubles.join('\n'));
process.exitCode = troubles.length === 0 ? 0 : 1;
