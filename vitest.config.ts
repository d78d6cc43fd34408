import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import LongestFirst from './test/support/longest-first.ts';

/**
 * Many files wait for servers, so more files run at once than there are cores. The servers' connections
 * bound their number.
 */
const maxWorkers = Math.min(availableParallelism() + 2, 8);
/** Generous: a busy machine is no fault of the program. */
const testTimeout = 600_000;
const expect = { poll: { timeout: 240_000 } };

export default defineConfig({
  test: {
    reporters: ['default', './test/support/count-reporter.ts'],
    sequence: { sequencer: LongestFirst },
    // Here and not in the projects, since each of them would build a program of its own.
    globalSetup: ['./test/support/program/program-setup.ts'],
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/**/*.integration.test.ts'],
          // Files of one worker share what they import. Compiling it for each would cost too much.
          isolate: false,
          maxWorkers,
          testTimeout,
          expect,
        },
      },
      {
        test: {
          name: 'integration',
          include: ['test/**/*.integration.test.ts'],
          globalSetup: ['./test/support/servers/setup.ts'],
          setupFiles: ['./test/support/servers/cleanup.ts'],
          isolate: false,
          maxWorkers,
          testTimeout,
          hookTimeout: testTimeout,
          expect,
        },
      },
    ],
  },
});
