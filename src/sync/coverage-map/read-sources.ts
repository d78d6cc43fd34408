import type { Range } from '../../series/types.ts';
import type { SyncContext } from '../context.ts';
import { listParts, listSources, openPlace, wantedOf } from './map-parts.ts';
import { envelopeOf } from './read-coverage-map.ts';

/** A stream of history, and what the configuration wants of it in each store. */
export interface Source {
  readonly stream: string;
  readonly stepSec: number;
  readonly stores: readonly SourceStore[];
}

export interface SourceStore {
  readonly id: string;
  readonly kind: string;
  /** From the first wanted instant of any series to the last. Undefined if nothing is wanted. */
  readonly wanted: Range | undefined;
}

/** Lists the streams of history, and the stores that take them. */
export async function readSources(ctx: SyncContext): Promise<Source[]> {
  const selected = await ctx.catalog.select();
  return listSources(ctx).map(({ stream, stores }) => {
    const parts = listParts(ctx, stream, selected).filter(({ series }) => series.length > 0);
    const places = stores.map(({ id }) => openPlace(ctx, { store: id, stream }));
    return {
      stream,
      stepSec: places[0]?.stepSec ?? 1,
      stores: places.map((place) => ({
        ...{ id: place.store.id, kind: place.store.kind },
        wanted: envelopeOf(parts.flatMap((part) => wantedOf(ctx, place, part))),
      })),
    };
  });
}
