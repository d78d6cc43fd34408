import type { ComponentType } from 'preact';
import { lazy } from 'preact-iso';
import type { shell } from '../texts/shell.ts';
import OverviewPage from './overview.tsx';

export interface PageEntry {
  readonly path: string;
  readonly name: keyof typeof shell.value.pages;
  /** The heading in the menu. Pages without one stand on top. */
  readonly group?: keyof typeof shell.value.groups;
  /** Whether the page is only there where Redis is used. */
  readonly needsRedis?: boolean;
  readonly Page: ComponentType;
}

/**
 * The pages of the console, in the order of the menu. The first one comes with the frame, because most visits
 * begin there. Each other one is loaded when somebody opens it first.
 */
export const pages: readonly PageEntry[] = [
  { path: '/', name: 'overview', Page: OverviewPage },
  { path: '/streams', name: 'streams', Page: lazy(() => import('./streams.tsx')) },
  { path: '/coverage', name: 'coverage', group: 'data', Page: lazy(() => import('./coverage.tsx')) },
  { path: '/explorer', name: 'explorer', group: 'data', Page: lazy(() => import('./explorer.tsx')) },
  { path: '/alarms', name: 'alarms', group: 'data', Page: lazy(() => import('./alarms.tsx')) },
  { path: '/rejects', name: 'rejects', group: 'data', Page: lazy(() => import('./rejects.tsx')) },
  { path: '/runs', name: 'runs', group: 'work', Page: lazy(() => import('./runs.tsx')) },
  { path: '/backfills', name: 'backfills', group: 'work', Page: lazy(() => import('./backfills.tsx')) },
  { path: '/drift', name: 'drift', group: 'plant', Page: lazy(() => import('./drift.tsx')) },
  { path: '/changes', name: 'changes', group: 'plant', Page: lazy(() => import('./changes.tsx')) },
  {
    path: '/queues',
    name: 'queues',
    group: 'work',
    needsRedis: true,
    Page: lazy(() => import('./queues.tsx')),
  },
  {
    path: '/configuration',
    name: 'configuration',
    group: 'work',
    Page: lazy(() => import('./configuration.tsx')),
  },
];
