import type { ComponentType } from 'preact';
import type { shell } from '../texts/shell.ts';

export interface PageEntry {
  readonly path: string;
  readonly name: keyof typeof shell.value.pages;
  /** The heading in the menu. Pages without one stand on top. */
  readonly group?: keyof typeof shell.value.groups;
  /** Whether the page is only there where Redis is used. */
  readonly needsRedis?: boolean;
  readonly load: () => Promise<{ default: ComponentType }>;
}

/** The pages of the console, in the order of the menu. */
export const pages: readonly PageEntry[] = [
  { path: '/', name: 'overview', load: () => import('./overview.tsx') },
  { path: '/streams', name: 'streams', load: () => import('./streams.tsx') },
  { path: '/coverage', name: 'coverage', group: 'data', load: () => import('./coverage.tsx') },
  { path: '/explorer', name: 'explorer', group: 'data', load: () => import('./explorer.tsx') },
  { path: '/alarms', name: 'alarms', group: 'data', load: () => import('./alarms.tsx') },
  { path: '/rejects', name: 'rejects', group: 'data', load: () => import('./rejects.tsx') },
  { path: '/runs', name: 'runs', group: 'work', load: () => import('./runs.tsx') },
  { path: '/backfills', name: 'backfills', group: 'work', load: () => import('./backfills.tsx') },
  { path: '/drift', name: 'drift', group: 'plant', load: () => import('./drift.tsx') },
  { path: '/changes', name: 'changes', group: 'plant', load: () => import('./changes.tsx') },
  { path: '/queues', name: 'queues', group: 'work', needsRedis: true, load: () => import('./queues.tsx') },
  { path: '/configuration', name: 'configuration', group: 'work', load: () => import('./configuration.tsx') },
];
