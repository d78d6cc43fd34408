import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The seconds that long files take with three others at once. Much of that is waiting. */
const secondsOf: Readonly<Record<string, number>> = {
  'sync/directory/variants': 194,
  'e2e/service/demo': 169,
  'console/page/coverage-page': 108,
  'console/page/pages': 100,
  'faults/short': 100,
  'console/page/records': 83,
  'e2e/trouble/kills': 76,
  'e2e/trouble/night': 76,
  'prometheus/alert-causes': 74,
  'e2e/trouble/postgres-outage': 72,
  'e2e/data/zones': 69,
  'sync/directory/directory': 68,
  'notify/notifier': 66,
  'sync/orders/do-order': 65,
  'e2e/servers/secrets': 63,
  'container/image': 61,
  'e2e/trouble/resume': 59,
  'e2e/data/directory-guards': 58,
  'cli/commands/first-commands': 58,
  'e2e/service/on-workers': 54,
  'e2e/trouble/ordered-backfill': 45,
  'console/api/bounds': 45,
  'e2e/trouble/frozen': 45,
  'cli/commands/grants': 43,
  'e2e/trouble/directory-kill': 41,
  'e2e/trouble/outage': 40,
  'queue/redis/redis-groups': 40,
  'postgres/gone-machine': 37,
  'queue/bullmq/open-bullmq': 36,
  'e2e/data/history': 32,
  'sync/history/fill': 32,
  'postgres/embedded/embedded': 31,
  'e2e/data/alarms': 30,
  'e2e/trouble/token': 28,
  'sync/directory/unchanged-lists': 27,
  'e2e/trouble/wrong-clock': 26,
  'sync/directory/evidence': 26,
  'e2e/service/log-and-traces': 26,
  'sync/directory/gone-owners': 24,
  'console/page/hostile-names': 23,
  'sync/directory/deletes': 23,
  'dashboards/queries': 23,
  'sync/directory/directory-changes': 23,
  'e2e/data/lists': 22,
  'load/stores/store-contract': 22,
  'e2e/trouble/slow-platform': 22,
  'e2e/service/request-budget': 22,
  'cli/command-line': 20,
  'event-loop/event-loop': 19,
  'series/dividing-reader': 17,
  'console/access': 13,
  'cli/lost-output': 11,
};

/**
 * Starts the longest files first, so that at the end no worker is busy alone. All unit tests come last: a
 * worker that changes between the projects starts again, and has to import everything once more.
 */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const seconds = ({ moduleId }: TestSpecification): number => {
      const name = /\/test\/(.*?)(?:\.integration)?\.test\.ts$/.exec(moduleId)?.[1] ?? '';
      return secondsOf[name] ?? (name.startsWith('e2e/') ? 10 : 1);
    };
    const isUnit = ({ project }: TestSpecification): number => Number(project.name === 'unit');
    return [...files].sort((a, b) => isUnit(a) - isUnit(b) || seconds(b) - seconds(a));
  }
}
