import { resolve } from 'node:path';
import type { CodeOf } from '../error-codes/error-codes.ts';
import { codeOf, ExitCode, InterruptedError, messageOf, PlantsyncError, UsageError } from '../errors.ts';
import { type Io, printText, say, withoutSecrets } from './io.ts';
import { buildProgram, isCommanderError } from './program.ts';

/**
 * Runs the command line and resolves to the exit code. A failure ends as its code and one clear sentence on
 * stderr, or with `--json` as an object on stdout.
 */
export async function runCommandLine(io: Io, args: readonly string[]): Promise<number> {
  let exitCode: number = ExitCode.done;
  const program = buildProgram(io, async (work) => {
    exitCode = await work();
  });
  try {
    await program.parseAsync([...args], { from: 'user' });
    return exitCode;
  } catch (error) {
    if (isCommanderError(error) && error.exitCode === 0) return ExitCode.done;
    // No command was given. The printed help says more than an error.
    if (isCommanderError(error) && error.code === 'commander.help') return ExitCode.usage;
    return reportError(io, args, asKnown(io, args, error));
  }
}

/** Returns the error as an error of plantsync, which has an exit code. */
function asKnown(io: Io, args: readonly string[], error: unknown): Error {
  if (isCommanderError(error)) return new UsageError(usageCodeOf(error), describeUsage(error, args));
  if (io.signal.aborted && !(error instanceof InterruptedError))
    return new InterruptedError('interrupted.by_signal', 'interrupted; the same command goes on from here');
  if (isFileError(error)) return new PlantsyncError(fileCodeOf(error), describeFileError(error));
  return error instanceof Error ? error : new Error(String(error));
}

/** The codes of plantsync for the errors of commander. */
const usageCodes: Readonly<Record<string, CodeOf<'usage'>>> = {
  'commander.unknownCommand': 'usage.unknown_command',
  'commander.unknownOption': 'usage.unknown_option',
  'commander.missingArgument': 'usage.missing_argument',
  'commander.optionMissingArgument': 'usage.missing_argument',
  'commander.missingMandatoryOptionValue': 'usage.missing_argument',
  'commander.excessArguments': 'usage.extra_argument',
  'commander.conflictingOption': 'usage.conflicting_options',
};

function usageCodeOf({ code }: { code: string }): CodeOf<'usage'> {
  return usageCodes[code] ?? 'usage.wrong_value';
}

function describeUsage(
  { code, message }: { code: string; message: string },
  args: readonly string[],
): string {
  const [first = '', ...rest] = message.replace(/^error: /, '').split('\n');
  if (code === 'commander.unknownOption' && args[0]?.startsWith('-'))
    return `${first}: options go after the command, as in plantsync sync --config FILE`;
  return [first, ...rest].join(' ');
}

/**
 * Tells whether the file system refused a path: people have to set that right, and it is no fault of the
 * program.
 */
function isFileError(error: unknown): error is NodeJS.ErrnoException & { path: string } {
  if (!(error instanceof Error) || !('path' in error) || !('syscall' in error)) return false;
  return typeof error.path === 'string' && !String(error.syscall).startsWith('spawn');
}

const fileReasons: Readonly<Record<string, string>> = {
  EACCES: 'this user does not have the right',
  EPERM: 'this user does not have the right',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a part of the path is no folder',
  EISDIR: 'it is a folder',
};

const fileCodes: Readonly<Record<string, CodeOf<'file'>>> = {
  EACCES: 'file.no_rights',
  EPERM: 'file.no_rights',
  EROFS: 'file.no_rights',
  ENOSPC: 'file.disk_full',
  ENOENT: 'file.missing',
};

function fileCodeOf({ code = '' }: NodeJS.ErrnoException): CodeOf<'file'> {
  return fileCodes[code] ?? 'file.unusable';
}

function describeFileError({ path, code = '', syscall }: NodeJS.ErrnoException & { path: string }): string {
  return `${resolve(path)} cannot be used: ${fileReasons[code] ?? code} (${code}, ${syscall})`;
}

function reportError(io: Io, args: readonly string[], error: Error): number {
  const exitCode = error instanceof PlantsyncError ? error.exitCode : ExitCode.failed;
  const code = codeOf(error);
  const message = withoutSecrets(io, messageOf(error));
  const problems = error instanceof UsageError ? error.problems : [];
  if (args.includes('--json')) {
    const shown = { code, name: error.name, message, problems, exitCode };
    printText(io, `${JSON.stringify({ error: shown })}\n`);
  } else say(io, `plantsync [${code}]: ${message}\n`);
  // A fault of the program itself: a report needs the place where it happened.
  if (!(error instanceof PlantsyncError) && error.stack !== undefined)
    say(io, `${withoutSecrets(io, error.stack)}\n`);
  return exitCode;
}
