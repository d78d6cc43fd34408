import { StoreError } from '../../errors.ts';
import type { ChosenPart } from '../../ledger/chosen-series.ts';
import type { LeftOut } from '../../load/rows/count-selected.ts';
import { withoutGiveUp } from '../../postgres/give-up.ts';
import { steadyMs } from '../../steady-clock.ts';
import type { SyncContext } from '../context.ts';
import { type CountedSelection, countKept, digestOf, partsOf } from './chosen-parts.ts';

/** All selections with their series in sum, in the order of the configuration. */
export interface CountedCatalogue {
  readonly selections: readonly CountedSelection[];
  readonly leftOut: LeftOut;
}

type ChoiceContext = Pick<SyncContext, 'config' | 'ledger' | 'catalog'>;

/** Choices that are made until one lasts. Another configuration may keep its own in between. */
const ATTEMPTS = 3;

/**
 * Counts the series of each selection. The ledger keeps which series were chosen, so this costs little until
 * the directory or the selections change.
 */
export async function countChosen(ctx: ChoiceContext): Promise<CountedCatalogue> {
  const { runtime } = ctx.config;
  const digest = digestOf(runtime);
  let kept = await ctx.ledger.chosen.read(digest);
  for (let attempt = 1; kept === undefined && attempt <= ATTEMPTS; attempt += 1) {
    await keepOnce(ctx, digest);
    kept = await ctx.ledger.chosen.read(digest, { isOldToo: true });
  }
  if (kept === undefined)
    throw new StoreError('postgres.conflict', 'processes with different selections share the ledger', {
      action: 'retry',
    });
  const { series: counts, facts } = kept;
  return {
    selections: runtime.map((selection, index) => countKept(selection, { index, counts })),
    leftOut: facts as LeftOut,
  };
}

/** The choices that are being made, by catalogue. All who ask at the same time share one. */
const making = new WeakMap<ChoiceContext['catalog'], Promise<void>>();

function keepOnce(ctx: ChoiceContext, digest: string): Promise<void> {
  const made =
    making.get(ctx.catalog) ??
    withoutGiveUp(() => keepChoice(ctx, digest)).finally(() => making.delete(ctx.catalog));
  making.set(ctx.catalog, made);
  return made;
}

/** Chooses the series by the directory as it is now, and keeps in the ledger which they are. */
async function keepChoice({ config, ledger, catalog }: ChoiceContext, digest: string): Promise<void> {
  const begunAt = steadyMs();
  catalog.expire();
  await catalog.makeTables();
  const directory = await ledger.chosen.begin();
  catalog.expire();
  async function* readParts(): AsyncGenerator<ChosenPart> {
    for (const [index, selection] of config.runtime.entries())
      for await (const series of catalog.read(selection)) yield* partsOf(series, index);
  }
  const facts: LeftOut = await catalog.countLeftOut();
  await ledger.chosen.keep({
    ...{ digest, directory, facts, parts: readParts() },
    tookSec: () => (steadyMs() - begunAt) / 1000,
  });
}
