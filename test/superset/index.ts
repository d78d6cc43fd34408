/**
 * `npm run superset` tries the bundle in config/superset with a real Superset, which it installs from PyPI.
 * It fills a PostgreSQL with a simulated plant, imports the bundle for a role that only reads, and asks every
 * chart for its data. Then it takes pictures of the dashboards for the documents. `--keep` leaves Superset
 * running until it is interrupted.
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pages } from '../../dashboards/superset/pages.ts';
import { startPostgres, type TestPostgres } from '../support/servers/postgres.ts';
import { addReader, fillPostgres } from './fill-postgres.ts';
import { openApi } from './superset-api.ts';
import { installSuperset, startSuperset } from './superset-server.ts';
import { takePictures } from './take-pictures.ts';

const BUNDLE = 'config/superset/bundle';
const READER = 'reader';
const run = promisify(execFile);

const venv = await installSuperset();
console.log(`Superset is installed in ${venv}`);
const postgres = await startPostgres();
try {
  await fillPostgres(postgres);
  const password = await addReader(postgres, READER);
  console.log('the plant is filled');
  const superset = await startSuperset(venv);
  try {
    const api = await openApi(superset);
    await importBundle(postgres, (zip) => api.importBundle(zip, password));
    const charts = await api.askCharts();
    for (const { name, rows, problem } of charts) console.log(`${name}: ${problem ?? `${rows} rows`}`);
    const pictures = pages.map(({ slug }) => ({ slug, path: `docs/images/${slug}.png` }));
    const complaints = await takePictures(superset, pictures);
    for (const complaint of complaints) console.log(complaint);
    if (complaints.length > 0 || charts.some(({ problem }) => problem !== undefined)) process.exitCode = 1;
    if (process.argv.includes('--keep')) {
      console.log(`${superset.url}, user ${superset.username}, password ${superset.password}`);
      await once(process, 'SIGINT');
    }
  } finally {
    await superset.close();
  }
} finally {
  await postgres.close();
}

/** Packs the bundle with the address of this server, and passes it on. */
async function importBundle({ options }: TestPostgres, use: (zip: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'plantsync-bundle-'));
  try {
    await cp(BUNDLE, join(folder, 'bundle'), { recursive: true });
    const path = join(folder, 'bundle/databases/plantsync.yaml');
    const { host, pathname } = new URL(options.url);
    const file = await readFile(path, 'utf8');
    await writeFile(path, file.replace('localhost:5432/plantsync', `${host}${pathname}`));
    await run('python3', ['-m', 'zipfile', '-c', 'bundle.zip', 'bundle'], { cwd: folder });
    await use(join(folder, 'bundle.zip'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
