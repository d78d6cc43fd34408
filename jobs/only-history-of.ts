import type { Selection } from '../src/config/schema.ts';
import type { SyncContext } from '../src/sync/context.ts';

/**
 * The same context with the history of all other selections switched off. They stay in the list, since a property belongs
 * to the first that matches.
 */
export function onlyHistoryOf(ctx: SyncContext, selection: Selection): SyncContext {
  const runtime = ctx.config.runtime.map((each) =>
    each === selection ? each : { ...each, history: { ...each.history, enabled: false } },
  );
  return { ...ctx, config: { ...ctx.config, runtime } };
}
