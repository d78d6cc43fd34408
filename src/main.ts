#!/usr/bin/env node
import { setMaxListeners } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { watchNpm } from './cli/orphan-watch.ts';
import { watchOutput } from './cli/output-errors.ts';
import { runCommandLine } from './cli/run-command-line.ts';
import { ExitCode, InterruptedError } from './errors.ts';
import { steadyMs } from './steady-clock.ts';

// This file alone listens to signals and decides how the process ends.

// Databases often run on the same machine. By default V8 collects dead objects only when they take several
// times the memory of the live ones.
setFlagsFromString('--heap-growing-percent=50');

const controller = new AbortController();
// Every wait and every request listens to this signal, so many listeners are no leak.
setMaxListeners(0, controller.signal);

/** Within this time a second signal counts as the same one: the terminal sends it, and npm passes it on. */
const SAME_SIGNAL_MS = 1_000;
let endedAtMs: number | undefined;

function end(reason: InterruptedError): void {
  endedAtMs ??= steadyMs();
  controller.abort(reason);
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    if (endedAtMs !== undefined && steadyMs() - endedAtMs > SAME_SIGNAL_MS)
      process.exit(ExitCode.interrupted);
    end(new InterruptedError('interrupted.by_signal', 'interrupted; the same command goes on from here'));
  });

const { stdin, stdout, stderr, env, argv } = process;
const io = { stdin, stdout, stderr, env, signal: controller.signal };
const output = watchOutput(io, end);
watchNpm(env, () => end(new InterruptedError('interrupted.by_signal', 'npm has ended')));
const exitCode = await runCommandLine(io, argv.slice(2));
process.exitCode = output.exitCode() ?? exitCode;
// An error of the last write may come after this point.
process.on('exit', () => {
  process.exitCode = output.exitCode() ?? exitCode;
});
