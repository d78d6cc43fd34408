import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Seconds that files take by themselves, where it is long; most of it is waiting. */
const secondsOf: Readonly<Record<string, number>> = {
  'sync/variants': 111,
  'e2e/directory-guards': 80,
  'e2e/kills': 71,
  'sync/directory': 66,
  'sync/directory-changes': 63,
  'e2e/demo': 56,
  'e2e/outage': 54,
  'e2e/zones': 51,
  'e2e/history': 51,
  'e2e/on-workers': 49,
  'e2e/directory-kill': 48,
  'e2e/secrets': 47,
  'e2e/resume': 44,
  'e2e/trouble': 41,
  'cli/first-commands': 37,
  'e2e/lists': 37,
  'e2e/postgres-outage': 37,
  'e2e/token': 33,
  'e2e/alarms': 29,
  'queue/bullmq': 28,
  'sync/fill': 27,
  'e2e/control': 26,
  'container/image': 23,
  'sync/alarms': 22,
  'e2e/history-bounds': 21,
  'upgrade/upgrade': 21,
};

/**
 * Starts the longest files first, so that no worker is left with one at the end. The unit tests, which are short and need no server, come
 * last: they fill the time in which the others wait, and a worker changes from one project to the other once.
 */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const seconds = ({ moduleId, project }: TestSpecification): number => {
      const name = /\/test\/(.*?)(?:\.integration)?\.test\.ts$/.exec(moduleId)?.[1] ?? '';
      if (project.name === 'unit') return 0;
      return secondsOf[name] ?? (name.startsWith('e2e/') ? 10 : 1);
    };
    return [...files].sort((a, b) => seconds(b) - seconds(a));
  }
}
