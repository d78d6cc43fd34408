import type { Database } from '../../postgres/connect.ts';
import { quoteTable } from '../../postgres/names.ts';
import { planByKey, planInOrder } from '../../postgres/plan-by-key.ts';
import { inTransaction } from '../../postgres/transaction.ts';
import { type NameRule, nameRuleSql, StatementValues } from './name-rule-sql.ts';

/** Which names of objects and properties match. */
export interface NameRules {
  readonly objects: NameRule;
  readonly properties: NameRule;
}

/** Which properties a selection may take. */
export interface SelectionRules extends NameRules {
  /** Whether only recorded properties are taken, or any. */
  readonly recorded: 'only' | 'any';
}

/** Which of the listed properties are wanted. */
export interface SelectedQuestion {
  readonly rules: SelectionRules;
  /** Earlier selections. Their properties are not taken, as each belongs to the first that matches. */
  readonly before: readonly SelectionRules[];
  /** Narrows the selection, as the command line does. */
  readonly within?: NameRules | undefined;
}

/** The names of a property, in whose order the properties are read. */
export interface PropertyKey {
  readonly object: string;
  readonly property: string;
}

/** A property that a selection takes, and what is registered of its series. */
export interface SelectedProperty extends PropertyKey {
  /** The declared type, or else the type that the series had before. */
  readonly primitiveType: string | null;
  /** Number of the series. Null for a series that is to be registered, or to be registered with changes. */
  readonly id: number | null;
}

export interface PropertyPage {
  /** The property behind which the page begins. Undefined for the first page. */
  readonly after?: PropertyKey | undefined;
  readonly limit: number;
}

/** Objects whose properties are looked up by name, and not found on the way through all names. */
const FEW_NAMES = 1_001;

/** The condition for properties `p` that the platform persists or logs. */
export const RECORDED = '(p.persisted is true or p.logged is true)';

/**
 * Reads a page of the properties that a selection takes, in the order of their names. The index of the names
 * leads to them, so a page costs the same in a plant of any size. Its series are looked up one by one.
 */
export async function readSelected(
  db: Database,
  schema: string,
  { after, limit, ...question }: SelectedQuestion & PropertyPage,
): Promise<SelectedProperty[]> {
  const values = new StatementValues();
  const behind =
    after &&
    `and (p.object collate "C", p.property collate "C") > (${values.add(after.object)}, ${values.add(after.property)})`;
  const statement = `select p.object, p.property, coalesce(p.primitive_type, s.primitive_type) as "primitiveType",
      case when s.vanished_at is null and s.primitive_type is not distinct from coalesce(p.primitive_type, s.primitive_type)
        then s.series_id end as id
    from (
      select p.object, p.property, p.primitive_type from ${quoteTable(schema, 'object_properties')} as p
      where p.deleted_at is null and ${selectedSql(question, values)} ${behind ?? ''}
      order by p.object collate "C", p.property collate "C" limit ${limit}) as p
    left join lateral (
      select s.series_id, s.primitive_type, s.vanished_at from ${quoteTable(schema, 'series')} as s
      where s.object = p.object and s.property = p.property limit 1) as s on true
    order by p.object collate "C", p.property collate "C"`;
  const { rows } = await inTransaction(
    db,
    async (tx) => {
      // Some names are looked up. Their few rows come unordered from the index, and are sorted.
      await (hasFewNames(question) ? planByKey(tx) : planInOrder(tx));
      return tx.query<{ object: string; property: string; primitiveType: string | null; id: number | null }>(
        statement,
        values.list,
      );
    },
    { what: 'reading the selected properties' },
  );
  return rows;
}

function hasFewNames({ rules, within }: SelectedQuestion): boolean {
  return [rules.objects, within?.objects].some(
    (rule) => rule?.kind === 'names' && rule.names.length <= FEW_NAMES,
  );
}

/** Returns the condition for the properties `p` that a selection takes. */
export function selectedSql({ rules, before, within }: SelectedQuestion, values: StatementValues): string {
  const conditions = [takenSql(rules, values), ...before.map((each) => `not (${takenSql(each, values)})`)];
  if (within !== undefined) conditions.push(namesSql(within, values));
  return conditions.join(' and ');
}

/** Returns the condition for the properties `p` that a selection would take if it were the only one. */
export function takenSql(rules: SelectionRules, values: StatementValues): string {
  const names = namesSql(rules, values);
  return rules.recorded === 'any' ? names : `${RECORDED} and ${names}`;
}

/** Returns the condition for the properties `p` whose names match. */
export function namesSql({ objects, properties }: NameRules, values: StatementValues): string {
  return `${nameRuleSql(objects, 'p.object', values)} and ${nameRuleSql(properties, 'p.property', values)}`;
}
