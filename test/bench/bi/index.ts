/**
 * `npm run bench -- bi [millions] [--write] [--only=1,9]` fills an embedded PostgreSQL with so many million
 * points (3.3 by default). It asks the twenty questions of docs/bi.md, and prints how long each takes.
 * `--write` puts the times into docs/bi-times.md. 100 million points need about 15 GB of disk.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readQuestions } from '../../../src/bi/questions.ts';
import { silentLog } from '../../../src/log.ts';
import { openPostgres } from '../../../src/postgres/connect.ts';
import { startEmbedded } from '../../../src/postgres/embedded/start-embedded.ts';
import { askQuestions } from './ask-questions.ts';
import { makePlant } from './make-plant.ts';
import { sizeOf } from './plant-size.ts';
import { putTimes, renderTimes } from './render-times.ts';

const DOCUMENT = 'docs/bi-times.md';
const SMALL_MILLIONS = 10;
const words = process.argv.slice(2).filter((word) => word !== 'bi');
const millions = Number(words.find((word) => !word.startsWith('--')) ?? 3.3);
const only = words
  .find((word) => word.startsWith('--only='))
  ?.slice('--only='.length)
  .split(',')
  .map(Number);
const asked = readQuestions().filter(({ number }) => only?.includes(number) ?? true);
const aimMs = millions < SMALL_MILLIONS ? 100 : 1000;
const size = sizeOf(millions);
// On the disk, since so many points do not fit into memory. Other settings than these, which make the filling
// faster, are those of PostgreSQL itself.
const dataDir = await mkdtemp(join(tmpdir(), 'plantsync-bench-'));
const settings = { fsync: 'off', full_page_writes: 'off', max_wal_size: '4GB' };
const postgres = await startEmbedded({ dataDir, log: silentLog, settings });
const db = openPostgres(postgres, silentLog);
try {
  const start = performance.now();
  await makePlant(db, size);
  console.log(`made in ${Math.round((performance.now() - start) / 1000)} s`);
  const { rows } = await db.query(
    `select (select count(*) from plant.samples)::float8 as points, (select count(*) from plant.series)::int as series`,
  );
  const { points, series } = rows[0] as { points: number; series: number };
  const answers = await askQuestions(postgres, asked);
  const section = renderTimes({ points, series, days: size.days, aimMs, answers });
  console.log(`\n${section}`);
  if (words.includes('--write'))
    writeFileSync(DOCUMENT, putTimes(existsSync(DOCUMENT) ? readFileSync(DOCUMENT, 'utf8') : '', section));
} finally {
  await db.close();
  await postgres.stop();
  await rm(postgres.home, { recursive: true, force: true });
  await rm(dataDir, { recursive: true, force: true });
}
