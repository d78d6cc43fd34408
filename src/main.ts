#!/usr/bin/env node
import { setMaxListeners } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runCommandLine } from './cli/main-command.ts';
import { ExitCode, InterruptedError } from './errors.ts';

// The process: the only place that listens to signals and decides how it ends.

// A connector lives beside databases: V8 would let what is dead grow to several times what lives before it collects it.
setFlagsFromString('--heap-growing-percent=50');

const controller = new AbortController();
// Every wait and every request listens to it: many listeners are no leak.
setMaxListeners(0, controller.signal);

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    if (controller.signal.aborted) process.exit(ExitCode.interrupted);
    controller.abort(new InterruptedError('interrupted; the same command goes on from here'));
  });

// Who reads our output may have seen enough, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(ExitCode.done);
  throw error;
});

const { stdin, stdout, stderr, env, argv } = process;
const io = { stdin, stdout, stderr, env, signal: controller.signal };
process.exitCode = await runCommandLine(io, argv.slice(2));
