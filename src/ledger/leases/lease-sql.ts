import { escapeLiteral } from 'pg';
import { quoteTable } from '../../postgres/names.ts';
import type { Schemas } from '../../postgres/schemas.ts';

/** Time after which a lease ends that is not renewed. */
export const LEASE_MS = 45_000;
const life = `interval '${LEASE_MS} milliseconds'`;

export type LeaseSql = ReturnType<typeof leaseSql>;

/** Returns the statements on leases. All ages are judged by the clock of the server. */
export function leaseSql(schemas: Schemas) {
  const [leases, locks, claims, runs] = ['leases', 'locks', 'claims', 'runs'].map((table) =>
    quoteTable(schemas.ledger, table),
  );
  // A commit shares the advisory lock of its lease until it is done. Ending a lease needs this lock alone.
  const key = (id: string) =>
    `hashtextextended(${escapeLiteral(`plantsync:lease of ${schemas.ledger} `)} || ${id}, 0)`;
  // The second case finds locks and claims that were taken just when another process ended the lease.
  const isLeft = `(lease in (select id from ended) or not exists (select from ${leases} as l where l.id = lease))`;
  const sweep = (isOver: string) => `with ended as (
      delete from ${leases} as l
      where case when ${isOver} then pg_try_advisory_xact_lock(${key('l.id')}) else false end returning id, holder),
    unlocked as (delete from ${locks} where ${isLeft}),
    unclaimed as (delete from ${claims} where ${isLeft}),
    lost as (update ${runs} set status = 'lost', finished_at = clock_timestamp() where status = 'running' and ${isLeft})
    select id, holder from ended`;
  return {
    /** Begins a lease. `$1`: holder. */
    begin: `insert into ${leases} (holder, session, until) values ($1, pg_backend_pid(), clock_timestamp() + ${life}) returning id`,
    /**
     * Renews a lease. `$1`: lease. Yields no row if it has ended, because an ended lease never comes back.
     */
    renew: `update ${leases} set until = clock_timestamp() + ${life}, session = pg_backend_pid()
      where id = $1 and until > clock_timestamp() returning id`,
    /**
     * Ends the leases of processes that are gone, and all that they held. `$1`: the own lease, which is left
     * alone.
     */
    sweep: sweep(
      'l.id <> $1 and (l.until <= clock_timestamp() or not exists (select from pg_stat_get_activity(l.session)))',
    ),
    /** Ends a lease. `$1`: lease. */
    end: sweep('l.id = $1'),
    /** Fails unless the lease holds, and keeps the lease from being ended until the transaction is over. */
    check: (
      id: number,
    ) => `select 1 / count(*) from ${leases} as l where l.id = ${id} and l.until > clock_timestamp()
      and case when l.id = ${id} then pg_try_advisory_xact_lock_shared(${key('l.id')}) else false end`,
    /**
     * Takes a lock. `$1`: name, `$2`: lease. Yields no row if another process has the lock. A lock that this
     * process did not give back yet is taken again.
     */
    lock: `insert into ${locks} as k (name, lease)
      select $1, id from ${leases} where id = $2 and until > clock_timestamp()
      on conflict (name) do update set taken_at = clock_timestamp() where k.lease = excluded.lease returning name`,
    /** Gives back locks. `$1`: names, `$2`: lease. */
    unlock: `delete from ${locks} where name = any($1) and lease = $2`,
    /** Reads who holds a lock, and since when. `$1`: name. */
    holder: `select l.holder, k.taken_at from ${locks} as k join ${leases} as l on l.id = k.lease where k.name = $1`,
    /** Yields a row while a lock is held. `$1`: name, `$2`: lease. */
    isHeld: `select from ${locks} as k join ${leases} as l on l.id = k.lease
      where k.name = $1 and l.id = $2 and l.until > clock_timestamp()`,
    /** Breaks the sessions of a process. `$1`: holder. */
    breakSessions: `select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = $1 and datname = current_database() and pid <> pg_backend_pid()`,
  };
}
