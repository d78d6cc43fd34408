/**
 * `npm run bench -- aims [directory|series|points|current|redis…]` measures all that has an aim, and prints
 * each value next to its aim. Without names it measures everything, which takes more than an hour. If a
 * measurement fails, its aims are left out and the exit code is 1. A missed aim is a result, and no failure.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type AimName, aims, type Judged, limitText, valueText, verdict } from './aims.ts';

/** The measurements of each part, with the sizes that the aims are for. */
const parts: Readonly<Record<string, readonly (readonly [script: string, ...args: string[]])[]>> = {
  directory: [
    ['scan.ts', '--objects', '100000'],
    ['scan.ts', '--objects', '100000', '--latency', '10'],
  ],
  series: [
    ['all-series.ts', '2'],
    ['looks.ts', '2'],
  ],
  points: [
    ['points.ts', '--hours', '96'],
    ['store-limit.ts', '--points', '5000000'],
  ],
  current: [
    ['current-values.ts', '--seconds', '60'],
    ['current-values.ts', '--size', 'large', '--objects', '*0,*1[0-5]', '--every', '10s', '--seconds', '120'],
  ],
  redis: [['redis-failover.ts']],
};

const named = process.argv.slice(3);
const unknown = named.find((name) => !(name in parts));
if (unknown !== undefined) throw new Error(`"${unknown}" is none of ${Object.keys(parts).join(', ')}`);

const measured = new Map<AimName, number>();
/** Runs a measurement to its end. Its output goes to ours. Resolves to its exit code. */
async function run([script, ...args]: readonly string[]): Promise<number | null> {
  console.log(`\n== ${[script, ...args].join(' ')}`);
  const path = fileURLToPath(new URL(`../${script}`, import.meta.url));
  const child = fork(path, args, { execArgv: ['--import', 'tsx'] });
  child.on('message', ({ aim, value }: Judged) => measured.set(aim, value));
  const [code] = (await once(child, 'close')) as [number | null];
  return code;
}

const failed: string[] = [];
for (const name of named.length > 0 ? named : Object.keys(parts))
  for (const measurement of parts[name] ?? [])
    if ((await run(measurement)) !== 0) failed.push(measurement.join(' '));

console.log('\n| what | measured | aim | |');
console.log('|---|---|---|---|');
for (const [name, value] of measured)
  console.log(
    `| ${aims[name].what} | ${valueText(name, value)} | ${limitText(name)} | ${verdict(name, value)} |`,
  );
for (const measurement of failed) console.error(`${measurement} failed: its aims are not measured`);
if (failed.length > 0) process.exitCode = 1;
