import { UsageError } from '../../errors.ts';
import { type ConfiguredStore, listConfigured } from '../../load/stores/store-kind.ts';
import { plural } from '../../sync/count-text.ts';
import { type CommonOptions, type Io, print } from '../io.ts';
import { findOthers, pathOf } from '../open/known-store.ts';
import { openSessionDatabase, type Session, withSession } from '../open/session.ts';

const nameCovered = (count: number): string => plural(count, 'series or stream', 'series and streams');

/** Runs `plantsync stores`: lists the stores that the ledger knows, and which of them are configured. */
export function listStores(io: Io, options: CommonOptions): Promise<number> {
  return withSession(io, options, async (session) => {
    const { ledger } = await openSessionDatabase(io, session);
    const configured = listConfigured(session.config, session.kinds).map(({ id }) => id);
    const stores = await ledger.stores.list();
    const unknown = configured.filter((id) => !stores.some(({ store }) => store === id));
    print(io, options, {
      json: { configured: configured[0] ?? null, allConfigured: configured, stores },
      lines: () => [
        ...stores.map(
          ({ store, covered }) =>
            `${store}: ${nameCovered(covered)} covered${configured.includes(store) ? '; configured' : ''}`,
        ),
        ...unknown.map((id) => `${id}: configured, but not known to the ledger yet`),
      ],
    });
    return 0;
  });
}

/**
 * Runs `plantsync stores adopt OLD`: a configured store is the store OLD under another address or name.
 * Nothing is read again.
 */
export function adoptStore(io: Io, old: string, options: CommonOptions): Promise<number> {
  return withSession(io, options, async (session) => {
    const { ledger } = await openSessionDatabase(io, session);
    const configured = requireConfigured(session);
    const known = await ledger.stores.names();
    const heir = configured.find((store) => findOthers(known, store).includes(old));
    if (heir === undefined) {
      const others = configured.flatMap((store) => findOthers(known, store));
      const advice = others.length > 0 ? `known are ${others.join(', ')}` : 'there is no other store';
      throw new UsageError(
        'usage.unknown_store',
        `${old}: is not a store that the configured InfluxDB could be; ${advice}`,
      );
    }
    const { id, prefix } = heir;
    const series = await ledger.stores.rename(`${old.slice(0, -pathOf(heir).length)}/`, `${prefix}/`);
    print(io, options, {
      json: { from: old, to: id, covered: series },
      lines: () => [`${id} takes over the coverage of ${old}: ${nameCovered(series)}`],
    });
    return 0;
  });
}

/**
 * Runs `plantsync stores add`: a configured store is a new store, which is filled from its own start. People
 * name the store if several are configured.
 */
export function addStore(io: Io, named: string | undefined, options: CommonOptions): Promise<number> {
  return withSession(io, options, async (session) => {
    const { ledger } = await openSessionDatabase(io, session);
    const id = chooseStore(requireConfigured(session), named);
    await ledger.stores.add(id);
    print(io, options, {
      json: { added: id },
      lines: () => [`${id} is a new store: it is filled from its start`],
    });
    return 0;
  });
}

/**
 * The configured stores other than Postgres. Throws a `UsageError` that says what to set if there is none.
 */
function requireConfigured({ config, kinds }: Session): ConfiguredStore[] {
  const configured = listConfigured(config, kinds);
  return configured.length > 0 ? configured : kinds.others.map((kind) => kind.configure(config));
}

function chooseStore(configured: readonly ConfiguredStore[], named: string | undefined): string {
  const ids = configured.map(({ id }) => id);
  const [only, ...more] = ids.filter((id) => named === undefined || id === named);
  if (only !== undefined && more.length === 0) return only;
  const problem =
    named === undefined
      ? 'Several stores are configured; name the new one:'
      : `${named}: is not configured; configured are:`;
  throw new UsageError('usage.unknown_store', problem, ids);
}
