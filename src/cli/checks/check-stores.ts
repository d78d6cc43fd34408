import { readStoreNames } from '../../ledger/known-stores.ts';
import { MissingDatabaseError } from '../../load/stores/missing-database.ts';
import { listConfiguredKinds, type StoreKind } from '../../load/stores/store-kind.ts';
import type { Logger } from '../../log.ts';
import {
  checkConnections,
  checkServer,
  type Database,
  describeServer,
  openPostgres,
} from '../../postgres/connect.ts';
import { checkPrivileges } from '../../postgres/privileges.ts';
import { requireKnownStore } from '../open/known-store.ts';
import { explainMissing, looksMistyped } from '../open/missing-store.ts';
import { schemasOf, startOwnServer } from '../open/open-connections.ts';
import type { Session } from '../open/session.ts';
import type { Check } from './check.ts';

/** The looks at Postgres and at each other store of the configuration. */
export function checksOfStores(session: Session): Check[] {
  const { config, kinds, log, closers } = session;
  const { server, schema, ledgerSchema, biSchema } = config.postgres;
  let known: string[] = [];
  const postgres: Check = {
    what: kinds.postgres.title,
    look: async () => {
      const db = openPostgres(server ?? (await startOwnServer(config, session)), quiet(log));
      closers.add(() => db.close());
      const { version } = await checkServer(db);
      await checkConnections(db);
      const owner = await checkPrivileges(db, [schema, ledgerSchema], config.bi ? biSchema : undefined);
      known = await readStoreNames(db, schemasOf(config));
      const rights =
        owner === undefined
          ? `user ${db.user} has the rights`
          : `user ${db.user} may write to the tables of ${owner}, who runs plantsync migrate`;
      return `${describeUsed(db, version)}, UTF8${server ? '' : ', embedded'}; ${rights}`;
    },
  };
  const others = listConfiguredKinds(config, kinds).map(
    (kind): Check => ({ what: kind.title, look: () => lookAtStore(kind, session, async () => known) }),
  );
  return [postgres, ...others];
}

/** Describes the server that is used, and the others of the address. */
function describeUsed(db: Database, version: string): string {
  const used = db.server();
  const name = used === undefined ? `version ${version} at ${db.host}:${db.port}` : describeServer(used);
  return [name, ...(used?.others ?? [])].join('; not used: ');
}

/**
 * Makes nothing in the store: a database that does not exist yet is told, and is a failure where its name
 * looks wrong.
 */
async function lookAtStore(
  kind: StoreKind,
  { config, log, closers }: Session,
  names: () => Promise<string[]>,
): Promise<string> {
  const configured = kind.configure(config);
  const ledger = { stores: { names } };
  await requireKnownStore(configured, ledger);
  const store = await configured.open({ log: quiet(log), makesPlace: false });
  closers.add(() => store.close());
  try {
    await store.prepare();
  } catch (error) {
    if (!(error instanceof MissingDatabaseError)) throw error;
    const sentence = await explainMissing(configured, ledger, error);
    if (!looksMistyped(configured.place, error)) return sentence;
    throw error.inOtherWords(sentence);
  }
  return configured.summary;
}

/** What goes wrong stands in the table; the log need not say it too. */
export function quiet(log: Logger): Logger {
  return log.child({}, { level: log.isLevelEnabled('debug') ? 'debug' : 'error' });
}
