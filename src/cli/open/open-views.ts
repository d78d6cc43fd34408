import { type BiOutcome, ensureBi } from '../../bi/ensure-bi.ts';
import type { Config } from '../../config/config-schema.ts';
import { reasonOf, StoreError } from '../../errors.ts';
import type { StoreKinds } from '../../load/stores/store-kind.ts';
import type { Logger } from '../../log.ts';
import { readVersion } from '../../package-root.ts';
import type { Database } from '../../postgres/connect.ts';
import type { Schemas } from '../../postgres/schemas.ts';
import { zoneOfPlant } from '../../time-zone.ts';
import { makeTables } from './make-tables.ts';

interface ViewsOpening {
  readonly db: Database;
  readonly schemas: Schemas;
  readonly kinds: StoreKinds;
}

/**
 * Brings the views for BI tools up to date, with all tables that they read. Resolves to undefined if
 * `bi: off` is set. Throws a `StoreError` as `ensureBi` does.
 */
export async function ensureViews(
  config: Config,
  { db, schemas, kinds }: ViewsOpening,
): Promise<BiOutcome | undefined> {
  if (!config.bi) return undefined;
  return ensureBi(db, {
    schemas,
    zone: zoneOfPlant(config.platform),
    program: readVersion(),
    makeTables: () => makeTables(db, config, kinds),
  });
}

/**
 * Brings the views up to date for a command that loads data. Loading does not need them, so a refusal is
 * logged, and the command goes on.
 */
export async function openViews(config: Config, opening: ViewsOpening & { log: Logger }): Promise<void> {
  try {
    await ensureViews(config, opening);
  } catch (error) {
    if (!(error instanceof StoreError) || error.action === 'retry') throw error;
    opening.log.warn(reasonOf(error), 'the views for BI tools are not brought up to date; loading goes on');
  }
}
