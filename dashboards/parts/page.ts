import type { Builder } from '@grafana/grafana-foundation-sdk/cog';
import {
  type AnnotationQuery,
  type Dashboard,
  DashboardBuilder,
  DashboardCursorSync,
  DashboardLinkBuilder,
  DashboardLinkType,
  type Panel,
  RowBuilder,
} from '@grafana/grafana-foundation-sdk/dashboard';
import type { Variable } from './variables.ts';

/** The tag of all dashboards. The links at the top list the dashboards with this tag. */
const TAG = 'plantsync';

export interface Row {
  readonly title: string;
  readonly panels: readonly Builder<Panel>[];
}

export interface Page {
  readonly uid: string;
  readonly title: string;
  readonly about: string;
  /** Further tags, such as the store that is asked. */
  readonly tags: readonly string[];
  /** How far back the dashboard looks at first, such as `24h`. */
  readonly back: string;
  readonly refresh: string;
  readonly variables: readonly Variable[];
  readonly annotations?: readonly AnnotationQuery[];
  readonly rows: readonly Row[];
}

/** Makes a dashboard: its variables, its rows of panels from left to right, and links to all others. */
export function makeDashboard(page: Page): Dashboard {
  const builder = new DashboardBuilder(page.title)
    .uid(page.uid)
    .description(page.about)
    .tags([TAG, ...page.tags])
    .timezone('browser')
    .editable()
    .tooltip(DashboardCursorSync.Crosshair)
    .time({ from: `now-${page.back}`, to: 'now' })
    .refresh(page.refresh)
    .weekStart('monday')
    .variables([...page.variables])
    .link(linkToAll());
  for (const { title, panels } of page.rows) {
    builder.withRow(new RowBuilder(title));
    for (const panel of panels) builder.withPanel(panel);
  }
  const dashboard = builder.build();
  dashboard.annotations.list = [...(page.annotations ?? [])];
  dashboard.panels?.forEach((panel, index) => {
    panel.id = index + 1;
  });
  return dashboard;
}

function linkToAll() {
  return new DashboardLinkBuilder('plantsync')
    .type(DashboardLinkType.Dashboards)
    .tags([TAG])
    .asDropdown(true)
    .keepTime(true)
    .includeVars(true)
    .tooltip('All dashboards of plantsync')
    .icon('external link');
}
