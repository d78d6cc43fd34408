import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The seconds that long files take with three others at once. Much of that is waiting. */
const secondsOf: Readonly<Record<string, number>> = {
  'sync/directory/variants': 120,
  'e2e/trouble/postgres-outage': 115,
  'e2e/service/demo': 95,
  'e2e/data/directory-guards': 80,
  'e2e/trouble/kills': 75,
  'notify/notifier': 70,
  'prometheus/alert-causes': 60,
  'e2e/servers/secrets': 60,
  'e2e/trouble/frozen': 55,
  'sync/directory/directory': 50,
  'e2e/trouble/resume': 50,
  'cli/commands/first-commands': 50,
  'postgres/embedded/embedded': 45,
  'dashboards/queries': 45,
  'queue/bullmq/open-bullmq': 45,
  'cli/commands/grants': 45,
  'e2e/service/on-workers': 45,
  'e2e/trouble/directory-kill': 45,
  'fuzz/whole-sync': 40,
  'upgrade/upgrade': 35,
  'sync/directory/directory-changes': 35,
  'e2e/trouble/outage': 35,
  'e2e/data/zones': 35,
  'postgres/failover': 30,
  'postgres/gone-machine': 30,
  'postgres/pooling': 25,
  'e2e/trouble/trouble': 30,
  'e2e/servers/database-roles': 30,
  'cli/open/third-store': 30,
  'sync/alarms/alarms': 29,
  'e2e/trouble/wrong-clock': 29,
  'queue/engine-contract': 28,
  'e2e/trouble/token': 28,
  'e2e/service/control': 28,
  'sync/history/fill': 26,
  'console/explorer-page': 22,
  'e2e/data/history': 22,
  'e2e/data/alarms': 21,
  'fuzz/fuzz': 20,
  'event-loop/event-loop': 20,
  'e2e/trouble/slow-platform': 20,
  'e2e/data/lists': 20,
  'container/image': 20,
  'cli/command-line': 20,
  'e2e/service/request-budget': 19,
  'e2e/service/changed-schedule': 19,
  'cli/lost-output': 16,
  'cli/commands/notes': 20,
  'cli/commands/export': 15,
  'series/dividing-reader': 14,
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
