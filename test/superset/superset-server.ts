import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findFreePort } from '../../src/free-port.ts';
import { answers, startProcess } from '../support/servers/process.ts';

const run = promisify(execFile);
const REQUIREMENTS = 'config/superset/requirements.txt';
const INSTALL_TIMEOUT_MS = 1_800_000;
const MAX_OUTPUT_BYTES = 1e8;
const APP = 'superset.app:create_app()';
const ADMIN = 'admin';

/** A running Superset, and the account of its administrator. */
export interface Superset {
  readonly url: string;
  readonly username: string;
  readonly password: string;
  close(): Promise<void>;
}

/**
 * Installs Superset into a virtual environment of a temporary folder, if that was not done before. Resolves
 * to the folder. Needs a `python3` from 3.10 to 3.12 with `venv`, and PyPI.
 */
export async function installSuperset(): Promise<string> {
  const digest = createHash('sha256').update(readFileSync(REQUIREMENTS)).digest('hex').slice(0, 12);
  const folder = join(tmpdir(), `plantsync-superset-${digest}`);
  const done = join(folder, 'installed');
  if (existsSync(done)) return folder;
  await rm(folder, { recursive: true, force: true });
  const options = { timeout: INSTALL_TIMEOUT_MS, maxBuffer: MAX_OUTPUT_BYTES };
  await run('python3', ['-m', 'venv', folder], options);
  await run(join(folder, 'bin/pip'), ['install', '--quiet', '--requirement', REQUIREMENTS], options);
  await writeFile(done, '');
  return folder;
}

/** Starts a Superset with an empty database of its own, and an administrator. */
export async function startSuperset(venv: string): Promise<Superset> {
  const folder = await mkdtemp(join(tmpdir(), 'plantsync-superset-home-'));
  const configPath = join(folder, 'superset_config.py');
  await writeFile(configPath, configOf(folder));
  const env = { SUPERSET_HOME: folder, SUPERSET_CONFIG_PATH: configPath, FLASK_APP: APP };
  const superset = (...words: string[]) =>
    run(join(venv, 'bin/superset'), words, {
      env: { ...process.env, ...env },
      maxBuffer: MAX_OUTPUT_BYTES,
    });
  const password = randomBytes(12).toString('hex');
  const person = ['--firstname', 'Plant', '--lastname', 'Admin', '--email', 'admin@plant.example'];
  await superset('db', 'upgrade');
  await superset('fab', 'create-admin', '--username', ADMIN, '--password', password, ...person);
  await superset('init');
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const gunicorn = [join(venv, 'bin/gunicorn'), '--bind', `127.0.0.1:${port}`, '--timeout', '300'];
  const server = await startProcess({
    command: 'env',
    args: [...variables, ...gunicorn, '--workers', '2', '--threads', '4', APP],
    url,
    folder,
    isReady: () => answers(`${url}/health`),
  });
  return { url, username: ADMIN, password, close: () => server.close() };
}

/** The settings of a Superset that only this process reaches. */
function configOf(folder: string): string {
  return `SECRET_KEY = '${randomBytes(32).toString('hex')}'
SQLALCHEMY_DATABASE_URI = 'sqlite:///${folder}/superset.db?check_same_thread=false'
# It talks plain HTTP, on this machine only.
TALISMAN_ENABLED = False
ROW_LIMIT = 10000
`;
}
