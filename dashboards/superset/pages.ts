import { alarmPage } from './alarm-page.ts';
import { overviewPage } from './overview-page.ts';
import type { Page } from './page.ts';

/** All dashboards of the bundle. */
export const pages: readonly Page[] = [overviewPage, alarmPage];
