import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { dashboards } from '../../dashboards/all-dashboards.ts';
import { type DashboardJson, type PanelJson, readDashboards } from './committed-dashboards.ts';

const committed = readDashboards();
const all = [...committed];
const panelsOf = (dashboard: DashboardJson) => dashboard.panels.filter(({ type }) => type !== 'row');
const toJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
/** Variables that Grafana has by itself, and what a pattern has found. */
const BUILT_IN = /^(__\w+|timeFilter|tag_\w+|\d)$/;

function namesIn(text: string): string[] {
  const found = text.matchAll(/\$(\w+)|\$\{(\w+)[^}]*\}/g);
  return [...found].map(([, plain, braced]) => plain ?? braced ?? '').filter((name) => !BUILT_IN.test(name));
}

const area = ({ gridPos: { x, y, w, h } }: PanelJson) => ({ left: x, right: x + w, top: y, bottom: y + h });

describe('the committed dashboards', () => {
  it('are those that npm run dashboards writes', () => {
    const fresh = Object.entries(dashboards).map(([name, dashboard]) => [`${name}.json`, toJson(dashboard)]);
    expect(Object.fromEntries(all)).toEqual(Object.fromEntries(fresh));
  });

  it('have addresses and titles of their own, no id of one server, and times of the browser', () => {
    const uids = all.map(([, { uid }]) => uid);
    expect(new Set(uids).size).toBe(uids.length);
    expect(new Set(all.map(([, { title }]) => title)).size).toBe(uids.length);
    for (const [, dashboard] of all) {
      expect(dashboard.id).toBeUndefined();
      expect(dashboard).toMatchObject({ timezone: 'browser', editable: true, schemaVersion: 41 });
      expect(dashboard.uid).toMatch(/^plantsync-[a-z-]{1,30}$/);
      expect(dashboard.tags).toContain('plantsync');
      expect(dashboard.description).not.toBe('');
    }
  });

  it.each(all)('%s has panels with ids, titles and descriptions of their own', (_, dashboard) => {
    const ids = dashboard.panels.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const titles = panelsOf(dashboard).map(({ title }) => title);
    expect(new Set(titles).size).toBe(titles.length);
    for (const { description, title } of panelsOf(dashboard))
      expect(description, title).toMatch(/^[A-Z1-9"].{20,}[.]$/);
  });

  it.each(all)('%s places its panels within 24 columns, and none on another', (_, dashboard) => {
    for (const [index, panel] of dashboard.panels.entries()) {
      const { left, right, top, bottom } = area(panel);
      expect(right, panel.title).toBeLessThanOrEqual(24);
      for (const other of dashboard.panels.slice(index + 1)) {
        const its = area(other);
        const apart = right <= its.left || its.right <= left || bottom <= its.top || its.bottom <= top;
        expect(apart, `${panel.title} and ${other.title}`).toBe(true);
      }
    }
  });

  it.each(all)('%s uses the variables that it defines, and no others', (_, dashboard) => {
    const defined = dashboard.templating.list.map(({ name }) => name);
    expect(new Set(defined).size).toBe(defined.length);
    const { templating, ...rest } = dashboard;
    const used = new Set(namesIn(JSON.stringify(rest)));
    for (const [index, { name, query, allValue, datasource }] of templating.list.entries()) {
      const needs = namesIn(`${query} ${allValue ?? ''} ${datasource?.uid ?? ''}`);
      for (const need of needs) expect(defined.slice(0, index), `${name} needs ${need}`).toContain(need);
      for (const need of needs) used.add(need);
    }
    expect([...used].sort()).toEqual([...defined].sort());
  });

  it.each(all)('%s asks data sources that provisioning brings', (_, dashboard) => {
    const { datasources } = parse(readProvisioned('datasources')) as {
      datasources: { uid: string; type: string }[];
    };
    const sources = dashboard.templating.list.filter(({ type }) => type === 'datasource');
    for (const { query, current } of sources)
      expect(datasources.map(({ uid, type }) => [uid, type])).toContainEqual([current?.value, query]);
    const typeOf = new Map(sources.map(({ name, query }) => [`\${${name}}`, query]));
    for (const { datasource, targets = [], title } of panelsOf(dashboard))
      for (const source of [datasource, ...targets.map((target) => target.datasource)])
        expect(source?.type, title).toBe(typeOf.get(source?.uid ?? ''));
    for (const { datasource, target } of dashboard.annotations.list)
      for (const source of [datasource, target.datasource]) expect(source.type).toBe(typeOf.get(source.uid));
  });

  it.each(all)('%s takes no day from the zone of a session', (file) => {
    expect(readText(file)).not.toMatch(/::date\b|current_date/i);
  });

  it('link to dashboards and variables that exist', () => {
    const byUid = new Map(all.map(([, dashboard]) => [dashboard.uid, dashboard]));
    const links = all.flatMap(([file]) => readText(file).match(/\/d\/[^"]*/g) ?? []);
    expect(links.length).toBeGreaterThan(0);
    for (const link of links) {
      const target = byUid.get(/^\/d\/([^?]+)/.exec(link)?.[1] ?? '');
      const names = target?.templating.list.map(({ name }) => name);
      for (const [, name] of link.matchAll(/var-(\w+)=/g)) expect(names, link).toContain(name);
    }
  });

  it('lie where provisioning looks for them', () => {
    const { providers } = parse(readProvisioned('dashboards')) as {
      providers: { options: { path: string } }[];
    };
    expect(providers.map(({ options }) => options.path)).toEqual(['/etc/grafana/dashboards']);
  });
});

it('docs/grafana.md lists the variables that the data sources take from the environment', () => {
  const named = readProvisioned('datasources').match(/(?<=\$)[A-Z_]+/g) ?? [];
  const guide = readFileSync(new URL('../../docs/grafana.md', import.meta.url), 'utf8');
  expect([...new Set(guide.match(/PLANTSYNC_[A-Z_]+/g))].sort()).toEqual([...new Set(named)].sort());
});

function readText(file: string): string {
  return readFileSync(new URL(`../../config/grafana/dashboards/${file}`, import.meta.url), 'utf8');
}

function readProvisioned(kind: string): string {
  return readFileSync(
    new URL(`../../config/grafana/provisioning/${kind}/plantsync.yaml`, import.meta.url),
    'utf8',
  );
}
