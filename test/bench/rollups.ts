/**
 * `node --import tsx test/bench/rollups.ts [days] [rounds]` measures what rollups add to the loading of the
 * same points. It loads one-minute data of a hundred series into Postgres, in turns without rollups and with
 * them. It prints the time and the processor time of the program and of the server.
 */
import { readFile } from 'node:fs/promises';
import pg from 'pg';
import { startPostgres } from '../support/servers/postgres.ts';
import { addressOf, environmentOf, measureProgram, startPlatform } from './program.ts';

const days = Number(process.argv[2] ?? 140);
const rounds = Number(process.argv[3] ?? 2);
const TICKS_PER_SEC = 100;

/** What a load took. */
interface Load {
  readonly points: number;
  readonly rollups: number;
  readonly wallSec: number;
  readonly programSec: number;
  readonly serverSec: number;
}

/** Returns fields of a process (Linux): its parent, and its processor time with that of ended children. */
async function readProcess(pid: number): Promise<{ parent: number; sec: number }> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return { parent: Number(fields[1]), sec: ticks / TICKS_PER_SEC };
}

/** Returns the processor time of a server, with all processes that it has or had. */
async function readServerSec(postmaster: number): Promise<number> {
  const children = await readFile(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8');
  const pids = [postmaster, ...children.split(' ').filter(Boolean).map(Number)];
  const all = await Promise.all(pids.map(readProcess));
  return all.reduce((sum, { sec }) => sum + sec, 0);
}

async function load(platform: Awaited<ReturnType<typeof startPlatform>>, rollups: boolean): Promise<Load> {
  const postgres = await startPostgres();
  const db = new pg.Client({ connectionString: addressOf(postgres) });
  try {
    await db.connect();
    const { rows } = await db.query('select pg_backend_pid() as pid');
    const { parent: postmaster } = await readProcess(rows[0].pid);
    const env = {
      ...environmentOf(platform, postgres),
      PLANTSYNC_RUNTIME: '[{"objects":"*_000??","properties":"sequence"}]',
      PLANTSYNC_ROLLUPS: String(rollups),
    };
    await measureProgram(['sync', 'objects', 'object_properties'], env);
    const beforeSec = await readServerSec(postmaster);
    const beganMs = performance.now();
    const { summaries, cpuSec } = await measureProgram(
      ['backfill', '--from', `-${days}d`, '--to', '-2h'],
      env,
    );
    const wallSec = (performance.now() - beganMs) / 1000;
    const made = await db.query('select count(*) from plant.rollup_hourly');
    return {
      points: summaries.reduce((sum, { points }) => sum + (points.postgres ?? 0), 0),
      rollups: Number(made.rows[0].count),
      ...{ wallSec, programSec: cpuSec, serverSec: (await readServerSec(postmaster)) - beforeSec },
    };
  } finally {
    await db.end();
    await postgres.close();
  }
}

function describe(name: string, { points, rollups, wallSec, programSec, serverSec }: Load): void {
  const rate = Math.round(points / wallSec).toLocaleString('en');
  console.log(
    `${name}: ${points} points and ${rollups} hours in ${wallSec.toFixed(1)} s (${rate} points/s), ` +
      `processor time ${programSec.toFixed(1)} s of the program and ${serverSec.toFixed(1)} s of the server`,
  );
}

const platform = await startPlatform(['--size', 'medium']);
try {
  const loads: { without: Load; with: Load }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const both = { without: await load(platform, false), with: await load(platform, true) };
    describe('without rollups', both.without);
    describe('with rollups', both.with);
    loads.push(both);
  }
  const sum = (which: 'without' | 'with', read: (load: Load) => number) =>
    loads.reduce((total, both) => total + read(both[which]), 0);
  const added = (read: (load: Load) => number) =>
    `${((100 * (sum('with', read) - sum('without', read))) / sum('without', read)).toFixed(1)} %`;
  const processor = ({ programSec, serverSec }: Load) => programSec + serverSec;
  console.log(
    `rollups add ${added(({ wallSec }) => wallSec)} of time, ${added(processor)} of processor time`,
  );
} finally {
  await platform.close();
}
