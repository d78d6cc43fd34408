import type { Chart } from './chart.ts';
import { uuidOf } from './name-uuid.ts';
import type { Page, PageFilter } from './page.ts';

/** Returns the file of a dashboard: where its charts stand, and its filters. */
export function layOut(page: Page, version: string): object {
  return {
    dashboard_title: page.title,
    description: page.about,
    css: '',
    slug: page.slug,
    uuid: uuidOf(`dashboard ${page.title}`),
    position: positionsOf(page),
    metadata: {
      native_filter_configuration: page.filters.map((filter) => filterFile(page, filter)),
      color_scheme: 'supersetColors',
      filter_bar_orientation: 'HORIZONTAL',
      refresh_frequency: 0,
      cross_filters_enabled: true,
      default_filters: '{}',
      expanded_slices: {},
      timed_refresh_immune_slices: [],
      label_colors: {},
      shared_label_colors: [],
      chart_configuration: {},
    },
    published: true,
    version,
  };
}

/** The number by which a dashboard names a chart. An import replaces it. */
function placesOf(page: Page): { chart: Chart; id: number; row: number }[] {
  return page.rows
    .flatMap((charts, row) => charts.map((chart) => ({ chart, row })))
    .map((place, k) => ({ ...place, id: k + 1 }));
}

function positionsOf(page: Page): object {
  const places = placesOf(page);
  const rows = page.rows.map((_, row) => `ROW-${row + 1}`);
  return {
    DASHBOARD_VERSION_KEY: 'v2',
    ROOT_ID: { type: 'ROOT', id: 'ROOT_ID', children: ['GRID_ID'] },
    GRID_ID: { type: 'GRID', id: 'GRID_ID', children: rows, parents: ['ROOT_ID'] },
    HEADER_ID: { type: 'HEADER', id: 'HEADER_ID', meta: { text: page.title } },
    ...Object.fromEntries(
      rows.map((id, row) => [
        id,
        {
          type: 'ROW',
          id,
          children: places.filter((place) => place.row === row).map((place) => `CHART-${place.id}`),
          meta: { background: 'BACKGROUND_TRANSPARENT' },
          parents: ['ROOT_ID', 'GRID_ID'],
        },
      ]),
    ),
    ...Object.fromEntries(
      places.map(({ chart, id, row }) => [
        `CHART-${id}`,
        {
          type: 'CHART',
          id: `CHART-${id}`,
          children: [],
          meta: {
            chartId: id,
            uuid: uuidOf(`chart ${chart.name}`),
            width: chart.width,
            height: chart.height,
            sliceName: chart.name,
          },
          parents: ['ROOT_ID', 'GRID_ID', `ROW-${row + 1}`],
        },
      ]),
    ),
  };
}

function filterFile(page: Page, { name, about, from, first = false, charts }: PageFilter): object {
  const excluded = placesOf(page).filter(({ chart }) => charts !== undefined && !charts.includes(chart.name));
  return {
    id: `NATIVE_FILTER-${uuidOf(`filter ${page.title} ${name}`).slice(0, 8)}`,
    name,
    description: about,
    type: 'NATIVE_FILTER',
    // Superset takes the first choice only of a filter that says so in both places.
    requiredFirst: first,
    filterType: from === undefined ? 'filter_time' : 'filter_select',
    targets:
      from === undefined
        ? [{}]
        : [{ column: { name: from.column }, datasetUuid: uuidOf(`dataset ${from.dataset}`) }],
    scope: { rootPath: ['ROOT_ID'], excluded: excluded.map(({ id }) => id) },
    cascadeParentIds: [],
    controlValues: {
      enableEmptyFilter: first,
      defaultToFirstItem: first,
      multiSelect: !first,
      searchAllOptions: false,
      inverseSelection: false,
    },
    defaultDataMask: { extraFormData: {}, filterState: {}, ownState: {} },
  };
}
