import { expect, it } from 'vitest';
import { findProblems } from './check-frames.ts';
import { chooseValues } from './choose-values.ts';
import {
  type DashboardJson,
  type PanelJson,
  readDashboards,
  type TargetJson,
} from './committed-dashboards.ts';
import { type FullPlant, makeFullPlant } from './full-plant.ts';
import { expandSql, type GrafanaRequest, roundInterval, type VariableValue } from './grafana-macros.ts';
import { askQuery, type Frame } from './query-frames.ts';

const DAY_MS = 86_400_000;
/** A panel of half a screen. With it the ranges show points, hours and days. */
const PIXELS = 700;
const ranges = [1, 30, 400];
/** The simulated plant notes a low and a high bound of each temperature. */
const BOUNDS = 2;

function lastDays(days: number): Omit<GrafanaRequest, 'values'> {
  const toMs = Date.now();
  return { fromMs: toMs - days * DAY_MS, toMs, intervalMs: roundInterval((days * DAY_MS) / PIXELS) };
}

/** Returns the values for each repetition of a panel. */
function repeats({ repeat }: PanelJson, values: Map<string, VariableValue>): Map<string, VariableValue>[] {
  const repeated = repeat === undefined ? undefined : values.get(repeat);
  if (repeat === undefined || repeated === undefined) return [values];
  const each = typeof repeated.value === 'string' ? [repeated.value] : repeated.value;
  return each.map((value) => new Map([...values, [repeat, { value, quoted: true }]]));
}

/** Returns what a query does wrong. One without rows is wrong: the plant has something of everything. */
async function check(
  plant: FullPlant,
  { panel, target }: { panel: PanelJson; target: TargetJson },
  requests: readonly GrafanaRequest[],
): Promise<string[]> {
  const frames: Frame[] = [];
  for (const request of requests) frames.push(...(await askQuery(plant, target, request)));
  const rows = frames.reduce((sum, frame) => sum + frame.rows.length, 0);
  return [...(rows === 0 ? ['no rows'] : []), ...findProblems(panel, target, frames)];
}

/** The queries of a dashboard, with the panels that draw their answers. An annotation is a table for this. */
function queriesOf({ panels, annotations }: DashboardJson): { panel: PanelJson; target: TargetJson }[] {
  const ofPanels = panels.flatMap((panel) => (panel.targets ?? []).map((target) => ({ panel, target })));
  const ofAnnotations = annotations.list.map(({ name, target }) => ({
    panel: { id: 0, type: 'table', title: `annotation ${name}`, gridPos: { x: 0, y: 0, w: 24, h: 1 } },
    target,
  }));
  return [...ofPanels, ...ofAnnotations].filter(({ target }) => target.expr === undefined);
}

it('every panel, variable and annotation gets rows that it can draw, over a day, a month and a year', async () => {
  const plant = await makeFullPlant();
  const problems: string[] = [];
  for (const [file, dashboard] of readDashboards())
    for (const days of ranges) {
      const request = lastDays(days);
      const wrong: string[] = [];
      const values = await chooseValues(plant, dashboard, { request, problems: wrong });
      for (const query of queriesOf(dashboard)) {
        const requests = repeats(query.panel, values).map((one) => ({ ...request, values: one }));
        const found = await check(plant, query, requests).catch((error: Error) => [error.message]);
        wrong.push(...found.map((problem) => `${query.panel.title} ${query.target.refId}: ${problem}`));
      }
      problems.push(...wrong.map((problem) => `${file}, ${days} days: ${problem}`));
    }
  expect(problems).toEqual([]);
  await expectLinesToEnd(plant);
});

async function explain({ reader }: FullPlant, sql: string): Promise<string> {
  const { rows } = await reader.query<{ 'QUERY PLAN': string }>(`explain ${sql}`);
  return rows.map((row) => row['QUERY PLAN']).join('\n');
}

/**
 * Expects that no line of the explorer goes on through a gap, whether points, hours or days are drawn. Points
 * are read for a short range only, so that a year takes no longer.
 */
async function expectLinesToEnd(plant: FullPlant): Promise<void> {
  const explorer = readDashboards().get('property-explorer.json') as DashboardJson;
  const courses = explorer.panels.find(({ repeat }) => repeat === 'property') as PanelJson;
  const [target] = courses.targets ?? [];
  for (const days of ranges) {
    const request = lastDays(days);
    const values = await chooseValues(plant, explorer, { request, problems: [] });
    values.set('property', { value: ['temperature'], quoted: true });
    const [frame] = await askQuery(plant, target as TargetJson, { ...request, values });
    const plan = await explain(plant, expandSql(String(target?.rawSql), { ...request, values }));
    expect(/ on (plant\.)?samples/.test(plan), `points are read over ${days} days: ${plan}`).toBe(days === 1);
    const inGap = (frame?.rows ?? []).filter(
      ([time]) => Number(time) >= plant.gap.fromMs && Number(time) < plant.gap.toMs,
    );
    const ended = new Set(inGap.filter(([, , value]) => value === null).map(([, series]) => series));
    const seriesCount = new Set(frame?.rows.map(([, series]) => series)).size - BOUNDS;
    expect(seriesCount).toBeGreaterThan(2);
    expect(ended.size, `${days} days`).toBe(seriesCount);
    // The last step of the gap may hold points that come after it. Rollups know nothing of this made-up gap.
    const inside = inGap.filter(([time]) => Number(time) < plant.gap.toMs - request.intervalMs);
    if (days === 1) expect(inside.filter(([, , value]) => value !== null)).toEqual([]);
  }
}
