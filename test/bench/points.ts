/**
 * `node --import tsx test/bench/points.ts [--rounds 3] [--kinds plain,int64] [--against OTHER/main.js]`
 * measures the processor time of the program for each point, by kind of value and by store. Rollups are off.
 * The start of the program is measured by the same command once more, when nothing is left to do, and
 * subtracted.
 * `--against` names another build of the program, which is measured in turns with this one.
 */
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { buildProgram, removeProgram } from '../support/program/build-program.ts';
import { startInflux } from '../support/servers/influx.ts';
import { startPostgres } from '../support/servers/postgres.ts';
import { isAimName, judge } from './aims/aims.ts';
import { kinds, type PlatformMessage } from './points-platform.ts';
import { environmentOf } from './program.ts';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    kinds: { type: 'string', default: Object.keys(kinds).join() },
    stores: { type: 'string', default: 'postgres,influx' },
    against: { type: 'string' },
    profile: { type: 'string' },
    hours: { type: 'string', default: '24' },
  },
});
const HOURS = Number(options.hours);
/** Tells the processor time of a program at its end, on a file of its own. */
const tellCpu = `data:text/javascript,${encodeURIComponent(
  `import { writeSync } from 'node:fs';
   process.on('exit', () => writeSync(3, JSON.stringify(process.cpuUsage())));`,
)}`;

interface Run {
  readonly points: number;
  readonly cpuUs: number;
}

/** Runs a command of the program. Resolves to its points, and to the processor time of all its threads. */
async function run(main: string, args: readonly string[], env: Record<string, string>): Promise<Run> {
  const profile = options.profile === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', options.profile];
  const child = spawn(
    process.execPath,
    [...profile, '--import', tellCpu, main, ...args, '--json', '--log-level', 'error'],
    { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'ignore', 'pipe'] },
  );
  const ended = once(child, 'close');
  const outputs = [child.stdout, child.stdio[3]] as NodeJS.ReadableStream[];
  const [said, cpu] = await Promise.all(outputs.map((stream) => text(stream)));
  await ended;
  const { streams } = JSON.parse(said as string) as { streams: { points?: Record<string, number> }[] };
  const { user, system } = JSON.parse(cpu as string) as NodeJS.CpuUsage;
  const points = streams.flatMap((stream) => Object.values(stream.points ?? {}));
  return { points: points.reduce((a, b) => a + b, 0), cpuUs: user + system };
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN;
}

const script = fileURLToPath(new URL('./points-platform.ts', import.meta.url));
const platform = fork(script, { execArgv: ['--import', 'tsx'] });
const [access] = (await once(platform, 'message')) as [PlatformMessage];
const [main, postgres, influx] = await Promise.all([buildProgram(), startPostgres(), startInflux()]);
const programs = new Map([['this', main], ...(options.against ? [['other', options.against] as const] : [])]);
const base = {
  ...environmentOf({ ...access, close: async () => undefined }, postgres),
  PLANTSYNC_ROLLUPS: 'false',
};
const environments: Record<string, Record<string, string>> = {
  postgres: base,
  influx: {
    ...base,
    PLANTSYNC_INFLUX__URL: influx.url,
    PLANTSYNC_INFLUX__VERSION: '1',
    PLANTSYNC_INFLUX__DATABASE: 'bench',
    PLANTSYNC_POSTGRES__SAMPLES: 'false',
  },
};
let hoursBack = 1;

/** Reads hours that no earlier run has read. Resolves to the processor time of each point, in µs. */
async function measure(program: string, kind: string, store: string): Promise<number> {
  const env = {
    ...environments[store],
    PLANTSYNC_RUNTIME: JSON.stringify([{ objects: kind, current: false }]),
  };
  const hour = (back: number) => new Date((Math.floor(Date.now() / 3.6e6) - back) * 3.6e6).toISOString();
  const args = ['backfill', '--from', hour(hoursBack + HOURS), '--to', hour(hoursBack)];
  hoursBack += HOURS;
  const filled = await run(program, args, env);
  const nothing = await run(program, args, env);
  if (filled.points === 0 || nothing.points > 0) throw new Error(`${filled.points} points were written`);
  return (filled.cpuUs - nothing.cpuUs) / filled.points;
}

try {
  await run(main, ['sync', 'objects', 'object_properties'], base);
  for (const store of options.stores.split(',')) {
    let plainUs = Number.NaN;
    for (const kind of options.kinds.split(',')) {
      const costs = new Map([...programs.keys()].map((name) => [name, [] as number[]]));
      // The first run learns how large replies may be.
      await measure(main, kind, store);
      for (let round = 0; round < Number(options.rounds); round += 1)
        for (const [name, program] of programs) costs.get(name)?.push(await measure(program, kind, store));
      for (const [name, each] of costs)
        console.log(
          `${store} ${kind} ${name}: ${median(each).toFixed(2)} µs a point (${each.map((us) => us.toFixed(2)).join(', ')})`,
        );
      const us = median(costs.get('this') ?? []);
      if (kind === 'plain') plainUs = us;
      const aim = `${store} ${kind}`;
      // A short run costs more for each point. Kinds other than decimals are judged by that of decimals.
      if (HOURS >= 96 && isAimName(aim) && plainUs > 0) judge(aim, kind === 'plain' ? us : us / plainUs);
    }
  }
} finally {
  platform.disconnect();
  await Promise.all([postgres.close(), influx.close(), removeProgram()]);
}
