import type { Command } from 'commander';
import { listJobs } from '../../../../jobs/index.ts';
import { loadConfig } from '../../../config/load.ts';
import { UsageError } from '../../../errors.ts';
import { operations } from '../../../platform/operations.ts';
import { HISTORY } from '../../../series/history-stream.ts';
import { streams } from '../../../streams/index.ts';
import { ALARMS, CURRENT } from '../../../sync/stream-names.ts';
import { type CommonOptions, type Io, printText } from '../../io.ts';
import { writeBash } from './bash.ts';
import { describeProgram } from './describe-program.ts';
import { writeFish } from './fish.ts';
import type { Shell } from './shells.ts';
import { writeZsh } from './zsh.ts';

const writers = { bash: writeBash, zsh: writeZsh, fish: writeFish } as const;

/**
 * Runs `plantsync completion SHELL`: prints a script that completes commands, options, streams, jobs and
 * files. The shell reads the script once, so a key press starts no process.
 */
export async function completion(
  io: Io,
  shell: Shell,
  { options, program }: { options: CommonOptions; program: Command },
): Promise<number> {
  const names = [...streams.map(({ name }) => name), HISTORY, CURRENT, ALARMS];
  const known = {
    stream: names,
    '--stream': names,
    name: [...new Set([...names, ...(await listJobNames(io, options))])],
    operation: Object.keys(operations),
  };
  printText(io, writers[shell](describeProgram(program, known)));
  return 0;
}

/** Lists the jobs of the configuration. Without a configuration that can be used there are none. */
async function listJobNames(io: Io, options: CommonOptions): Promise<string[]> {
  try {
    const config = await loadConfig({ path: options.config, env: io.env });
    return listJobs(config, io.storeKinds).map(({ name }) => name);
  } catch (error) {
    if (error instanceof UsageError) return [];
    throw error;
  }
}
