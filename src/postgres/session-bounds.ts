/** How long a server may wait at most, in all sessions. */
export interface SessionBounds {
  /** The most milliseconds that the server waits for a lock. */
  readonly lockTimeoutMs: number;
}

/** A transaction that is idle for this long holds up others: its process stands still, or is gone. */
const IDLE_IN_TRANSACTION_MS = 60_000;
/** A peer that vanished is noticed after 15 + 3 × 5 s. A peer that takes no reply is noticed after 30 s. */
const keepalive = {
  tcp_keepalives_idle: 15,
  tcp_keepalives_interval: 5,
  tcp_keepalives_count: 3,
  tcp_user_timeout: 30_000,
};
/**
 * Limits that a role or database may have for people. They would cut the same work short at every attempt.
 */
const lifted = ['statement_timeout', 'idle_session_timeout', 'transaction_timeout'];

/**
 * Returns the SQL for the begin of a session. Every wait gets an end, and limits that others have set for all
 * sessions are lifted. `set_config` sets only settings that the server knows, since older versions lack some.
 */
export function boundsSql({ lockTimeoutMs }: SessionBounds): string {
  const settings = {
    ...Object.fromEntries(lifted.map((name) => [name, 0])),
    ...keepalive,
    lock_timeout: lockTimeoutMs,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
  };
  const values = Object.entries(settings).map(([name, value]) => `('${name}', '${value}')`);
  return `select set_config(name, value, false) from (values ${values.join(', ')}) as w (name, value) where current_setting(name, true) is not null`;
}
