import { UsageError } from '../../errors.ts';
import { type CommonOptions, type Io, print } from '../io.ts';
import { configuredStore, findOthers, requireConfigured } from '../open/known-store.ts';
import { openDatabase } from '../open/open-connections.ts';
import { withSession } from '../open/session.ts';
import { formatNumber } from '../output/table.ts';

/** Runs `plantsync stores`: lists the stores that the ledger knows, and which of them is configured. */
export function listStores(io: Io, options: CommonOptions): Promise<number> {
  return withSession(io, options, async (session) => {
    const { ledger } = await openDatabase(session.config, session);
    const configured = configuredStore(session.config)?.id ?? null;
    const stores = await ledger.stores.list();
    print(io, options, {
      json: { configured, stores },
      lines: () => [
        ...stores.map(
          ({ store, covered }) =>
            `${store}: ${formatNumber(covered)} series and streams covered${store === configured ? '; configured' : ''}`,
        ),
        ...(configured === null || stores.some(({ store }) => store === configured)
          ? []
          : [`${configured}: configured, but not known to the ledger yet`]),
      ],
    });
    return 0;
  });
}

/**
 * Runs `plantsync stores adopt OLD`: the configured InfluxDB is the store OLD under another address or name.
 * Nothing is read again.
 */
export function adoptStore(io: Io, old: string, options: CommonOptions): Promise<number> {
  return withSession(io, options, async (session) => {
    const { ledger } = await openDatabase(session.config, session);
    const { id, path, prefix } = requireConfigured(session.config);
    const others = findOthers(await ledger.stores.names(), { id, path });
    if (!others.includes(old)) {
      const advice = others.length > 0 ? `known are ${others.join(', ')}` : 'there is no other store';
      throw new UsageError(
        'usage.unknown_store',
        `${old}: is not a store that the configured InfluxDB could be; ${advice}`,
      );
    }
    const series = await ledger.stores.rename(`${old.slice(0, -path.length)}/`, `${prefix}/`);
    print(io, options, {
      json: { from: old, to: id, covered: series },
      lines: () => [`${id} takes over the coverage of ${old}: ${formatNumber(series)} series and streams`],
    });
    return 0;
  });
}

/**
 * Runs `plantsync stores add`: the configured InfluxDB is a new store, which is filled from its own start.
 */
export function addStore(io: Io, options: CommonOptions): Promise<number> {
  return withSession(io, options, async (session) => {
    const { ledger } = await openDatabase(session.config, session);
    const { id } = requireConfigured(session.config);
    await ledger.stores.add(id);
    print(io, options, {
      json: { added: id },
      lines: () => [`${id} is a new store: it is filled from its start`],
    });
    return 0;
  });
}
