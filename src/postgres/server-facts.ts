import { type ClientBase, DatabaseError } from 'pg';

/**
 * What tells the history of a server from that of others. Every promotion of a replica begins a timeline with
 * a higher number.
 */
export interface ServerIdentity {
  /** The number that a cluster gets when it is made. Its replicas have the same one. */
  readonly system: string;
  /** The timeline that a primary writes. Undefined for a replica. */
  readonly timeline: number | undefined;
}

/** What a server says about itself at the begin of a session. */
export interface ServerFacts {
  readonly version: string;
  /** True if the server only follows a primary. */
  readonly isReplica: boolean;
  /** True if transactions are read-only unless they say otherwise, or always. */
  readonly isReadOnly: boolean;
  /** Undefined if the server does not tell its identity to ordinary users. */
  readonly identity: ServerIdentity | undefined;
}

const ROLE = `current_setting('server_version') as version, pg_is_in_recovery() as replica,
  current_setting('transaction_read_only') = 'on' as read_only`;
/** The first eight digits of the name of a WAL file are the timeline. The control file tells it too late. */
const IDENTITY = `(select system_identifier::text from pg_control_system()) as system,
  case when not pg_is_in_recovery() then ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int
  end as timeline`;

/** Asks a session that has no settings yet for the facts of its server. */
export async function readServerFacts(client: ClientBase): Promise<ServerFacts> {
  const row = await askForFacts(client);
  return {
    version: row.version as string,
    isReplica: row.replica === true,
    isReadOnly: row.read_only === true,
    identity:
      row.system === undefined
        ? undefined
        : { system: row.system as string, timeline: (row.timeline as number | null) ?? undefined },
  };
}

async function askForFacts(client: ClientBase): Promise<Record<string, unknown>> {
  try {
    return (await client.query(`select ${ROLE}, ${IDENTITY}`)).rows[0] ?? {};
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    // Some services do not let their users ask for the log. They move an address by themselves.
    return (await client.query(`select ${ROLE}`)).rows[0] ?? {};
  }
}
