import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Seconds that files take by themselves, where it is long; most of it is waiting. */
const secondsOf: Readonly<Record<string, number>> = {
  'sync/variants': 110,
  'sync/directory': 94,
  'e2e/postgres-outage': 93,
  'e2e/kills': 78,
  'e2e/zones': 55,
  'e2e/directory-guards': 55,
  'e2e/outage': 49,
  'e2e/secrets': 49,
  'e2e/on-workers': 42,
  'e2e/history': 42,
  'e2e/alarms': 40,
  'e2e/demo': 38,
  'sync/directory-changes': 37,
  'e2e/token': 35,
  'e2e/directory-kill': 35,
  'e2e/resume': 35,
  'e2e/lists': 33,
  'queue/bullmq': 30,
  'e2e/control': 28,
  'sync/fill': 27,
  'e2e/trouble': 26,
  'sync/alarms': 21,
};

/** Starts the longest files first, so that no worker is left with one at the end. */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const seconds = ({ moduleId }: TestSpecification): number => {
      const name = /\/test\/(.*?)(?:\.integration)?\.test\.ts$/.exec(moduleId)?.[1] ?? '';
      return secondsOf[name] ?? (name.startsWith('e2e/') ? 10 : 1);
    };
    return [...files].sort((a, b) => seconds(b) - seconds(a));
  }
}
