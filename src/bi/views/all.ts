import type { BiView } from '../bi-view.ts';
import { alarmCountViews } from './alarm-counts.ts';
import { alarmViews } from './alarms.ts';
import { calendarViews } from './calendar.ts';
import { changeViews } from './changes.ts';
import { counterViews } from './counters.ts';
import { coverageViews } from './coverage.ts';
import { findingViews } from './findings.ts';
import { healthViews } from './health.ts';
import { limitViews } from './limits.ts';
import { peopleViews } from './people.ts';
import { pointViews } from './points.ts';
import { rollupViews } from './rollups.ts';
import { stateViews } from './states.ts';
import { tagViews } from './tags.ts';
import { treeViews } from './trees.ts';
import { versionViews } from './versions.ts';

/** All views and functions of the schema `bi`. Each one stands after those that it reads. */
export const biViews: readonly BiView[] = [
  ...tagViews,
  ...pointViews,
  ...calendarViews,
  ...treeViews,
  ...peopleViews,
  ...coverageViews,
  ...rollupViews,
  ...stateViews,
  ...limitViews,
  ...counterViews,
  ...alarmViews,
  ...alarmCountViews,
  ...changeViews,
  ...versionViews,
  ...healthViews,
  ...findingViews,
];
