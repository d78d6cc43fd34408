import { defineConfig } from 'vitest/config';
import LongestFirst from './test/support/longest-first.ts';

export default defineConfig({
  test: {
    reporters: ['default', './test/support/count-reporter.ts'],
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/**/*.integration.test.ts'],
          globalSetup: ['./test/support/program-setup.ts'],
          // Generous: a busy machine is no fault of the program.
          testTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'integration',
          include: ['test/**/*.integration.test.ts'],
          globalSetup: ['./test/support/program-setup.ts', './test/support/servers-setup.ts'],
          setupFiles: ['./test/support/servers-cleanup.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          // Real servers share the machine with the tests; the unit tests come first, by themselves.
          // Many of these wait, so one more of them runs than there are cores.
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
