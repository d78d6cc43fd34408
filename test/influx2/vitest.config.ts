import { defineConfig } from 'vitest/config';

/** The tests of other folders that run with InfluxDB 2.x as they run with 1.x. */
const same = [
  'cli/commands/changed-forms',
  'cli/commands/export',
  'e2e/data/alarms',
  'e2e/data/current',
  'e2e/data/values',
  'e2e/data/zones',
  'e2e/service/outcome',
  'sync/alarms/alarms',
  'sync/explore/explore',
  'sync/history/aggregates',
  'sync/history/fill',
  'sync/polls/poll',
  'sync/replay/replay',
  'sync/verify/verify',
  'sync/verify/verify-aggregates',
].map((name) => `test/${name}.integration.test.ts`);

/** `npm run test:influx2` runs the store's tests with the InfluxDB 2.x that the environment names. */
export default defineConfig({
  test: {
    reporters: ['default', './test/support/count-reporter.ts'],
    include: ['test/influx2/*.trial.ts', ...same],
    globalSetup: [
      './test/influx2/setup.ts',
      './test/support/program/program-setup.ts',
      './test/support/servers/setup.ts',
    ],
    setupFiles: ['./test/support/servers/cleanup.ts'],
    isolate: false,
    maxWorkers: 3,
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 240_000 } },
  },
});
