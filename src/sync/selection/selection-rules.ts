import type { Selection } from '../../config/config-schema.ts';
import { readNames } from '../../load/rows/count-selected.ts';
import type { NameRule } from '../../load/rows/name-rule-sql.ts';
import type { NameRules, SelectionRules } from '../../load/rows/read-selected.ts';
import type { Database } from '../../postgres/connect.ts';
import type { Schemas } from '../../postgres/schemas.ts';
import { ruleOf } from './name-rule.ts';
import { isNamedInFull, matchName, type SeriesPattern } from './select-series.ts';

interface RulesSource {
  readonly db: Database;
  readonly schemas: Schemas;
}

/** Makes the rules of selections, by which Postgres finds their properties. */
export async function readSelectionRules(
  source: RulesSource,
  selections: readonly Selection[],
): Promise<SelectionRules[]> {
  const rules: SelectionRules[] = [];
  for (const selection of selections) {
    // A selection that is named in full takes its property, recorded or not.
    const recorded = isNamedInFull(selection) ? 'any' : selection.recorded;
    rules.push({ ...(await readNameRules(source, selection)), recorded });
  }
  return rules;
}

/** Makes the rules of patterns for both names. */
export async function readNameRules(
  source: RulesSource,
  { objects, properties }: SeriesPattern,
): Promise<NameRules> {
  return {
    objects: ruleOf(objects) ?? (await listNames(source, 'object', objects)),
    properties: ruleOf(properties) ?? (await listNames(source, 'property', properties)),
  };
}

/** Lists the names that match a pattern which Postgres cannot compare. */
async function listNames(
  { db, schemas }: RulesSource,
  column: 'object' | 'property',
  pattern: string,
): Promise<NameRule> {
  const matches = matchName(pattern);
  const names: string[] = [];
  for await (const part of readNames(db, schemas.data, column)) names.push(...part.filter(matches));
  return { kind: 'names', names };
}
