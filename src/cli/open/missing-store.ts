import { distance } from 'fastest-levenshtein';
import type { Config } from '../../config/config-schema.ts';
import { StoreError } from '../../errors.ts';
import type { MissingDatabaseError } from '../../load/stores/missing-database.ts';
import { configuredStore, type KnowsStores } from './known-store.ts';

/** The most letters in which a mistyped name differs. */
const MAX_MISTYPED = 2;
const NAMES_SHOWN = 10;

/**
 * Explains a missing database of InfluxDB to a command that only reads. The first command that writes makes
 * the database, so on a new installation the returned sentence is a warning. Throws a `StoreError` if the
 * ledger says that something is stored in the database.
 */
export async function explainMissing(
  config: Config,
  ledger: KnowsStores,
  missing: MissingDatabaseError,
): Promise<string> {
  const { id = '' } = configuredStore(config) ?? {};
  if ((await ledger.stores.names()).includes(id))
    throw new StoreError(
      'influx.missing_database',
      `${missing.label}: the database does not exist, although the ledger says what is stored in it. If it was dropped, plantsync sync ` +
        `makes it and reads everything again; else correct influx.url or influx.database${describeOthers(config, missing)}`,
      { action: 'stop', cause: missing },
    );
  return (
    `${missing.label}: the database does not exist yet. plantsync sync makes it, if the name is right: ` +
    `else correct influx.database${describeOthers(config, missing)}`
  );
}

/** Tells whether another database has so similar a name that the configured name looks mistyped. */
export function looksMistyped({ influx }: Config, { databases }: MissingDatabaseError): boolean {
  return nearestOf(influx?.database ?? '', databases) !== undefined;
}

function describeOthers({ influx }: Config, { databases }: MissingDatabaseError): string {
  const others = databases.filter((name) => name !== '_internal');
  const guess = nearestOf(influx?.database ?? '', others);
  if (guess !== undefined) return ` (did you mean "${guess}"?)`;
  if (others.length === 0) return '';
  const more = others.length > NAMES_SHOWN ? ', …' : '';
  return ` (there are ${others.slice(0, NAMES_SHOWN).join(', ')}${more})`;
}

/** Finds a database with a similar name. Names that differ only in their numbers are different on purpose. */
function nearestOf(name: string, others: readonly string[]): string | undefined {
  const letters = (text: string) => text.toLowerCase().replace(/\d+/g, '');
  return others.find((other) => {
    const far = distance(name.toLowerCase(), other.toLowerCase());
    return far <= MAX_MISTYPED && letters(name) !== letters(other);
  });
}
