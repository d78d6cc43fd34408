import { distance } from 'fastest-levenshtein';
import type { MissingDatabaseError } from '../../load/stores/missing-database.ts';
import type { ConfiguredStore, StorePlace } from '../../load/stores/store-kind.ts';
import type { KnowsStores } from './known-store.ts';

/** The most letters in which a mistyped name differs. */
const MAX_MISTYPED = 2;
const NAMES_SHOWN = 10;

/**
 * Explains the missing database of a store to a command that only reads. The first command that writes makes
 * the database, so on a new installation the returned sentence is a warning. Throws a `StoreError` if the
 * ledger says that something is stored in the database.
 */
export async function explainMissing(
  { id, place }: Pick<ConfiguredStore, 'id' | 'place'>,
  ledger: KnowsStores,
  missing: MissingDatabaseError,
): Promise<string> {
  const { noun, option, addressOption } = place;
  const options = addressOption === undefined ? option : `${addressOption} or ${option}`;
  if ((await ledger.stores.names()).includes(id))
    throw missing.inOtherWords(
      `${missing.label}: the ${noun} does not exist, although the ledger says what is stored in it. If it was dropped, plantsync sync ` +
        `makes it and reads everything again; else correct ${options}${describeOthers(place, missing)}`,
    );
  return (
    `${missing.label}: the ${noun} does not exist yet. plantsync sync makes it, if the name is right: ` +
    `else correct ${option}${describeOthers(place, missing)}`
  );
}

/** Tells whether another database has so similar a name that the configured name looks mistyped. */
export function looksMistyped({ name }: StorePlace, { databases }: MissingDatabaseError): boolean {
  return nearestOf(name, databases) !== undefined;
}

function describeOthers({ name }: StorePlace, { databases }: MissingDatabaseError): string {
  const others = databases.filter((other) => other !== '_internal');
  const guess = nearestOf(name, others);
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
