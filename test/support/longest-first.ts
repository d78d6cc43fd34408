import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Seconds that files take by themselves, where it is long; much of it is waiting. */
const secondsOf: Readonly<Record<string, number>> = {
  'sync/directory/variants': 95,
  'e2e/trouble/kills': 70,
  'e2e/data/directory-guards': 70,
  'upgrade/upgrade': 50,
  'e2e/service/control': 50,
  'sync/directory/directory': 50,
  'sync/directory/directory-changes': 50,
  'e2e/service/demo': 50,
  'e2e/trouble/outage': 50,
  'e2e/data/values': 45,
  'e2e/data/history': 45,
  'e2e/data/zones': 45,
  'e2e/trouble/directory-kill': 45,
  'e2e/service/on-workers': 45,
  'sync/alarms/alarms': 40,
  'postgres/embedded/embedded': 40,
  'e2e/servers/addresses': 40,
  'e2e/trouble/resume': 40,
  'e2e/servers/secrets': 40,
  'e2e/trouble/trouble': 38,
  'sync/history/fill': 37,
  'cli/commands/first-commands': 37,
  'e2e/data/lists': 37,
  'e2e/trouble/postgres-outage': 37,
  'e2e/trouble/token': 33,
  'sync/directory/deletes': 30,
  'e2e/data/alarms': 29,
  'queue/bullmq/open-bullmq': 28,
  'e2e/trouble/slow-platform': 25,
  'e2e/service/outcome': 25,
  'e2e/service/roles': 25,
  'sync/verify/verify': 23,
  'container/image': 23,
  'sync/discover/discover': 22,
  'e2e/data/backfill-range': 21,
  'sync/replay/replay': 21,
  'cli/command-line': 20,
  'e2e/data/history-bounds': 21,
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
