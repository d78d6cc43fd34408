import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { Reporter, SerializedError, TestCase, TestModule } from 'vitest/node';

/** The most lines of all failures, and of one failure. */
const [MAX_LINES, MAX_LINES_OF_ONE] = [60, 8] as const;
const MAX_CHARACTERS = 300;

/**
 * Prints the names and the first lines of the failures at the end of a test run. So they survive where only
 * the end of the output is kept. The last line is `N passed, N failed` (and `, N skipped` if any test
 * was).
 */
export default class CountReporter implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>, errors: ReadonlyArray<SerializedError>): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const count = (...states: string[]) =>
      tests.filter((test) => states.includes(test.result().state)).length;
    const broken = modules.filter((module) => module.errors().length > 0);
    const failed = count('failed') + broken.length + errors.length;
    const skipped = count('skipped', 'pending');
    const failures = [
      ...errors.map((error) => describeFailure('outside of a test', [error])),
      ...broken.map((module) => describeFailure(fileOf(module), module.errors())),
      ...tests.flatMap((test) => (test.result().state === 'failed' ? [describeTest(test)] : [])),
    ].flat();
    const lines = [
      ...(failed > 0 ? ['Failures:', ...failures.slice(0, MAX_LINES)] : []),
      ...(failures.length > MAX_LINES ? [`  ${failures.length - MAX_LINES} more lines`] : []),
      `${count('passed')} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`,
    ];
    // At the exit of the process, so after the summary of the default reporter.
    process.once('exit', () => {
      process.stdout.write(`${lines.join('\n')}\n`);
    });
  }
}

function describeTest(test: TestCase): string[] {
  return describeFailure(`${fileOf(test.module)} > ${test.fullName}`, test.result().errors ?? []);
}

/** Returns the name, then what differs and where, each cut to its first lines. */
function describeFailure(name: string, errors: readonly SerializedError[]): string[] {
  const said = errors.flatMap(({ message, diff, stacks }) => {
    const [frame] = stacks ?? [];
    const place = frame && `at ${relative(process.cwd(), frame.file)}:${frame.line}`;
    const differences = linesOf(typeof diff === 'string' ? diff : '').filter((line) =>
      /^[-+] (?!Expected$|Received$)/.test(line),
    );
    return [...linesOf(message).slice(0, 3), ...(place ? [place] : []), ...differences];
  });
  return [name, ...said.slice(0, MAX_LINES_OF_ONE - 1).map((line) => `  ${line}`)];
}

function linesOf(text: string): string[] {
  const lines = stripVTControlCharacters(text).split('\n');
  return lines.filter((line) => line.trim() !== '').map((line) => line.slice(0, MAX_CHARACTERS));
}

function fileOf({ moduleId }: TestModule): string {
  return relative(process.cwd(), moduleId);
}
