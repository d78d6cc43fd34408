import { expect, it } from 'vitest';
import type { Series } from '../../../src/series/types.ts';
import { UnreadableWindows } from '../../../src/sync/history/unreadable-windows.ts';
import { emptySummary } from '../../../src/sync/run-summary.ts';

const noon = Date.UTC(2024, 4, 1, 12) / 1000;
const reason =
  'readHistory (POST /openapi/objects/v1/properties/history) at 127.0.0.1:1 failed after 3 attempts: HTTP 400, code 800001: the archive is being moved [platform.operation_failed]';

function seriesOf(property: string): Series {
  return { id: property.length, object: 'pump', property } as unknown as Series;
}

const windowOf = (...series: Series[]) => ({ series, fromSec: noon, toSec: noon + 60, stepSec: 0 });
const until = (noon + 600.9) * 1e6;

it('tells with the first failure until when a series is set aside, and then only that it is', () => {
  const first = emptySummary('history');
  const unreadable = new UnreadableWindows();
  unreadable.add(windowOf(seriesOf('level')), reason, until);
  // Later windows of the same run leave it out.
  unreadable.addResting(seriesOf('level'), { reason, asideUntil: until });
  unreadable.tellIn(first);
  expect(first.problems).toEqual([
    `pump.level from 2024-05-01T12:00:00Z to 2024-05-01T12:01:00Z cannot be read (set aside until 2024-05-01T12:10:00Z): ${reason}`,
  ]);
  expect(first.told).toBeUndefined();

  const next = emptySummary('history');
  const resting = new UnreadableWindows();
  for (const property of ['level', 'temperature'])
    resting.addResting(seriesOf(property), { reason, asideUntil: until });
  resting.tellIn(next);
  const said =
    'pump.level and 1 other series cannot be read, and are set aside until 2024-05-01T12:10:00Z: HTTP 400, code 800001: the archive is being moved [platform.operation_failed]';
  expect(next).toMatchObject({ problems: [said], told: [said] });
  expect(next.unread).toEqual([
    {
      ...{ series: 'pump.level', others: 1, asideUntil: '2024-05-01T12:10:00Z' },
      cause: {
        text: 'HTTP 400, code 800001: the archive is being moved',
        code: 'platform.operation_failed',
      },
    },
  ]);
});
