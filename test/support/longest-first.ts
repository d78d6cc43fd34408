import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Seconds that files take by themselves, where it is long; much of it is waiting. */
const secondsOf: Readonly<Record<string, number>> = {
  'sync/variants': 95,
  'e2e/kills': 70,
  'e2e/directory-guards': 70,
  'upgrade/upgrade': 50,
  'e2e/control': 50,
  'sync/directory': 50,
  'sync/directory-changes': 50,
  'e2e/demo': 50,
  'e2e/outage': 50,
  'e2e/values': 45,
  'e2e/history': 45,
  'e2e/zones': 45,
  'e2e/directory-kill': 45,
  'e2e/on-workers': 45,
  'sync/alarms': 40,
  'postgres/embedded': 40,
  'e2e/addresses': 40,
  'e2e/resume': 40,
  'e2e/secrets': 40,
  'e2e/trouble': 38,
  'sync/fill': 37,
  'cli/first-commands': 37,
  'e2e/lists': 37,
  'e2e/postgres-outage': 37,
  'e2e/token': 33,
  'sync/deletes': 30,
  'e2e/alarms': 29,
  'queue/bullmq': 28,
  'e2e/slow-platform': 25,
  'e2e/outcome': 25,
  'e2e/roles': 25,
  'sync/verify': 23,
  'container/image': 23,
  'sync/discover': 22,
  'e2e/backfill-range': 21,
  'sync/replay': 21,
  'cli/command-line': 20,
  'e2e/history-bounds': 21,
};

/**
 * Starts the longest files first, so that no worker is left with one at the end. Most unit tests are short and come last:
 * they fill the time in which the others wait.
 */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const seconds = ({ moduleId, project }: TestSpecification): number => {
      const name = /\/test\/(.*?)(?:\.integration)?\.test\.ts$/.exec(moduleId)?.[1] ?? '';
      const usual = project.name === 'unit' ? 0 : 1;
      return secondsOf[name] ?? (name.startsWith('e2e/') ? 10 : usual);
    };
    return [...files].sort((a, b) => seconds(b) - seconds(a));
  }
}
