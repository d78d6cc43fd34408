import type { DashboardJson, VariableJson } from './committed-dashboards.ts';
import type { FullPlant } from './full-plant.ts';
import { expandSql, type GrafanaRequest, type VariableValue } from './grafana-macros.ts';
import { askPostgres } from './query-frames.ts';

/** Longer lists make the test slow, and say nothing more. */
const MOST_VALUES = 10;
/** Properties of the simulated plant: one with bounds, a counter, and one with states. */
const CHOSEN: Readonly<Record<string, readonly string[]>> = {
  property: ['temperature', 'cycles', 'state'],
};

/**
 * Asks for the values of all variables in their order, and chooses some as people do. Resolves to what is
 * chosen, and adds to `problems` what a variable does wrong.
 */
export async function chooseValues(
  plant: FullPlant,
  { templating }: DashboardJson,
  { request, problems }: { request: Omit<GrafanaRequest, 'values'>; problems: string[] },
): Promise<Map<string, VariableValue>> {
  const values = new Map<string, VariableValue>();
  for (const variable of templating.list) {
    if (variable.type === 'datasource') continue;
    if (variable.type === 'custom') {
      values.set(variable.name, { value: String(variable.current?.value), quoted: false });
      continue;
    }
    const found = await listValues(plant, variable, { ...request, values: searchFor('%', values) });
    if (found.length === 0) problems.push(`variable ${variable.name} has no values`);
    if (variable.query.includes('$__searchFilter')) {
      const none = await listValues(plant, variable, {
        ...request,
        values: searchFor("no such ' name%", values),
      });
      if (none.length > 0) problems.push(`variable ${variable.name} finds what nobody looked for`);
    }
    values.set(variable.name, choose(variable, found));
  }
  return values;
}

async function listValues(
  plant: FullPlant,
  { query }: VariableJson,
  request: GrafanaRequest,
): Promise<string[]> {
  const { columns, rows } = await askPostgres(plant, expandSql(query, request));
  const place = columns.findIndex(({ name }) => name === '__value');
  if (place < 0) throw new Error('the query has no column __value');
  return rows.map((row) => String(row[place]));
}

const searchFor = (value: string, values: Map<string, VariableValue>) =>
  new Map([...values, ['__searchFilter', { value, quoted: false }]]);

function choose(
  { name, includeAll, allValue, multi }: VariableJson,
  found: readonly string[],
): VariableValue {
  if (allValue !== undefined) return { value: allValue, quoted: true, verbatim: true };
  if (includeAll) return { value: found, quoted: true };
  const wanted = CHOSEN[name]?.filter((value) => found.includes(value)) ?? found.slice(0, MOST_VALUES);
  return { value: wanted, quoted: multi };
}
