import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import type { Io } from '../../src/cli/io.ts';
import { runCommandLine } from '../../src/cli/run-command-line.ts';
import { configurations, loadMutated } from './configurations.ts';
import { mutate, mutations } from './mutate.ts';
import { readers, readMutated, secret } from './readers.ts';

/** The seed and the number of runs of a property. */
export interface Trial {
  readonly seed: number;
  readonly runs: number;
}

/** The result of a property. `finding` tells the fault and its input. */
export interface Finding {
  readonly runs: number;
  readonly finding: string | undefined;
}

/** A line of a stack, which no person should have to read. */
const stackLine = /^ {4}at .+:\d+:\d+\)?$/m;

/** Checks a text that people may read: no stack, and no secret. */
function checkText(text: string | undefined): void {
  if (text === undefined) return;
  if (stackLine.test(text)) throw new Error(`it shows a stack: ${text.slice(0, 500)}`);
  if (text.includes(secret)) throw new Error('it shows the secret');
}

function report<T>(details: fc.RunDetails<T>): Finding {
  const { failed, numRuns, seed, counterexamplePath, counterexample, errorInstance } = details;
  if (!failed) return { runs: numRuns, finding: undefined };
  const input = (JSON.stringify(counterexample) ?? '').slice(0, 1_000);
  const why =
    errorInstance instanceof Error ? (errorInstance.stack ?? errorInstance.message) : String(errorInstance);
  return {
    runs: numRuns,
    finding: `--seed ${seed} (path ${counterexamplePath}): ${input}\n${why.slice(0, 1_500)}`,
  };
}

/** Reads mutated replies of every operation. Each is read, or refused by a sentence. */
export async function tryReplies({ seed, runs }: Trial): Promise<Finding> {
  const statuses = fc.constantFrom(200, 200, 200, 200, 400, 401, 404, 500, 503);
  const property = fc.asyncProperty(
    fc.constantFrom(...readers),
    mutations,
    statuses,
    fc.boolean(),
    async (reader, done, status, echoes) => {
      const failure = {
        code: '800001',
        message: `no such thing at ?secret=${encodeURIComponent(secret)} ${secret}`,
      };
      const sample = status >= 300 || echoes ? { ...failure, list: [] } : reader.sample;
      checkText(await readMutated(reader, status, mutate(sample, done)));
    },
  );
  return report(await fc.check(property, { seed, numRuns: runs }));
}

/** Loads odd configurations. Each is accepted, or all its problems are listed. */
export async function tryConfigurations({ seed, runs }: Trial): Promise<Finding> {
  const folder = mkdtempSync(join(tmpdir(), 'plantsync-fuzz-'));
  try {
    const file = join(folder, 'plantsync.yaml');
    const property = fc.asyncProperty(configurations, async (text) => {
      const message = await loadMutated(file, text);
      // Odd text may hold anything. The values of options are checked in their own places.
      checkText(message);
    });
    return report(await fc.check(property, { seed, numRuns: runs }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const words = fc.oneof(
  fc.constantFrom(
    ...[
      'sync',
      'backfill',
      'check',
      'status',
      'gaps',
      'verify',
      'rejects',
      'stores',
      'reset',
      'call',
      'discover',
    ],
    ...[
      '--from',
      '--to',
      '--object',
      '--config',
      '--json',
      '--log-level',
      '--timezone',
      '--force',
      '--help',
      '--list',
    ],
    ...[
      '-1d',
      '2024-05-01',
      'history',
      'listObjects',
      '--param',
      'a=b',
      '--',
      '',
      '\u001b[2J',
      '--body',
      '-',
    ],
  ),
  fc.string({ maxLength: 20 }),
);

/** Runs odd command lines in a folder without a configuration. Each must end with a documented exit code. */
export async function tryCommandLines({ seed, runs }: Trial): Promise<Finding> {
  const property = fc.asyncProperty(fc.array(words, { minLength: 1, maxLength: 6 }), async (args) => {
    let output = '';
    const open = () =>
      new PassThrough({ encoding: 'utf8' }).on('data', (text: string) => {
        output += text;
      }) as unknown as NodeJS.WriteStream;
    // Commands that write files or start servers must not get odd arguments.
    fc.pre(!args.some((word) => /^(run|demo|simulate|init|health)$/.test(word.trim())));
    const stdin = Object.assign(new PassThrough(), { isTTY: false }).end(
      '{}',
    ) as unknown as NodeJS.ReadStream;
    const env = { PLANTSYNC_CONFIG: '/nowhere/plantsync.yaml', PLANTSYNC_LOG__LEVEL: 'silent' };
    const io: Io = { stdin, stdout: open(), stderr: open(), env, signal: new AbortController().signal };
    const code = await runCommandLine(io, args);
    await new Promise((resolve) => setImmediate(resolve));
    if (![0, 1, 2, 3].includes(code)) throw new Error(`it ends with ${code}`);
    checkText(output);
  });
  return report(await fc.check(property, { seed, numRuns: runs }));
}

export const trials = {
  replies: tryReplies,
  configurations: tryConfigurations,
  'command lines': tryCommandLines,
} as const;
