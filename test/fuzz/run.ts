/** Tests odd input for as long as you ask: `npm run fuzz -- --minutes 10 [--seed N] [--only replies]`. */
import { parseArgs } from 'node:util';
import { trials } from './properties.ts';

const RUNS_AT_ONCE = 500;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    seed: { type: 'string' },
    only: { type: 'string', default: '' },
  },
});
const endMs = Date.now() + Number(values.minutes) * 60_000;
let seed = Number(values.seed ?? Date.now() % 1_000_000_000);
const counts = new Map<string, number>();
let findings = 0;
process.stdout.write(`begins with seed ${seed}\n`);
do {
  for (const [name, attempt] of Object.entries(trials)) {
    if (!name.includes(values.only)) continue;
    const { runs, finding } = await attempt({ seed, runs: RUNS_AT_ONCE });
    counts.set(name, (counts.get(name) ?? 0) + runs);
    if (finding === undefined) continue;
    findings += 1;
    process.stdout.write(`FINDING in ${name}, repeat it by --only "${name}" ${finding}\n`);
  }
  seed += 1;
} while (Date.now() < endMs);
for (const [name, count] of counts) process.stdout.write(`${name}: ${count} tried\n`);
process.stdout.write(`${findings} findings\n`);
process.exitCode = findings > 0 ? 1 : 0;
