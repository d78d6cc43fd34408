import type { BiView } from '../bi-view.ts';
import { calendarViews } from './calendar.ts';
import { coverageViews } from './coverage.ts';
import { peopleViews } from './people.ts';
import { pointViews } from './points.ts';
import { tagViews } from './tags.ts';
import { treeViews } from './trees.ts';

/** All views and functions of the schema `bi`. Each one stands after those that it reads. */
export const biViews: readonly BiView[] = [
  ...tagViews,
  ...pointViews,
  ...calendarViews,
  ...treeViews,
  ...peopleViews,
  ...coverageViews,
];
