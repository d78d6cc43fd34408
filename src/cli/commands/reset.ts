import { UsageError } from '../../errors.ts';
import { requireKnown } from '../../known-names.ts';
import { HISTORY } from '../../series/history-stream.ts';
import { streams } from '../../streams/index.ts';
import {
  type Forgotten,
  type ResetParts,
  resetAlarms,
  resetHistory,
  resetPlatform,
  resetSnapshot,
} from '../../sync/reset/reset-streams.ts';
import { ALARMS, CURRENT } from '../../sync/stream-names.ts';
import { type CommonOptions, type Io, print } from '../io.ts';
import { openSessionDatabase, withSession } from '../open/session.ts';
import { formatNumber } from '../output/table.ts';

export interface ResetOptions extends CommonOptions {
  readonly store?: string;
  readonly platform?: boolean;
}

/**
 * Runs `plantsync reset stream…`: forgets how far streams are, so that the next run reads everything again.
 * The data stays.
 */
export async function reset(io: Io, names: readonly string[], options: ResetOptions): Promise<number> {
  checkUsage(names, options);
  return withSession(io, options, async (session) => {
    const { ledger } = await openSessionDatabase(io, session);
    const parts = { config: session.config, ledger };
    if (options.store !== undefined) await checkStore(parts, options.store);
    const forgotten: Forgotten[] = [];
    for (const stream of streams)
      if (names.includes(stream.name)) forgotten.push(await resetSnapshot(parts, stream));
    if (names.includes(HISTORY)) forgotten.push(await resetHistory(parts, options.store));
    if (names.includes(ALARMS)) forgotten.push(await resetAlarms(parts));
    if (options.platform) forgotten.push(await resetPlatform(parts));
    print(io, options, {
      json: { reset: forgotten },
      lines: () => [...forgotten.map(describe), 'no data was touched'],
    });
    return 0;
  });
}

function checkUsage(names: readonly string[], { store, platform }: ResetOptions): void {
  if (names.length === 0 && !platform)
    throw new UsageError(
      'usage.missing_argument',
      'Name the streams to reset, as in plantsync reset history, or give --platform.',
    );
  if (names.includes(CURRENT))
    throw new UsageError(
      'usage.wrong_value',
      'current: every poll stands alone, so there is nothing to forget.',
    );
  requireKnown(names, [...streams.map(({ name }) => name), HISTORY, ALARMS]);
  if (store !== undefined && !names.includes(HISTORY))
    throw new UsageError(
      'usage.conflicting_options',
      `--store ${store}: goes with history, the only stream that is kept for each store`,
    );
}

async function checkStore({ ledger }: ResetParts, store: string): Promise<void> {
  const known = await ledger.coverage.listStores(HISTORY);
  if (known.includes(store)) return;
  const advice = known.length > 0 ? `known are ${known.join(', ')}` : 'no store has any history';
  throw new UsageError('usage.unknown_store', `--store ${store}: there is no such store; ${advice}`);
}

function describe({ name, forgotten, next }: Forgotten): string {
  const things = Object.entries(forgotten)
    .filter(([, count]) => count > 0)
    .map(([what, count]) => `${formatNumber(count)} ${what}`);
  return `${name}: forgot ${things.length > 0 ? things.join(', ') : 'nothing, because nothing was kept'}; ${next}`;
}
