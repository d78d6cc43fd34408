import { DatabaseError } from 'pg';
import { type Action, messageOf, StoreError } from '../errors.ts';
import { remedyOfCertificate } from '../tls.ts';

/** The name of this store in a `StoreError`. */
export const POSTGRES_STORE = 'postgres';

/** Where a login or connection goes. Errors name it, so it holds no secret. */
export interface ServerAddress {
  /** Host, or the folder of the Unix socket. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
}

/** Returns the SQLSTATE of an error of Postgres, also if the error is the cause of a `StoreError`. */
export function sqlState(error: unknown): string | undefined {
  if (error instanceof DatabaseError) return error.code;
  return error instanceof Error && error.cause !== undefined ? sqlState(error.cause) : undefined;
}

/**
 * Codes of failures that may pass by themselves: lost connections, a server that starts or stops or has just
 * become the standby, deadlocks, full slots.
 */
const PASSING = /^(08|25006|25P0[34]|40001|40P01|53300|53400|55P03|57014|57P01|57P02|57P03|57P05)/;
const CONNECTION_LOST =
  /^(Connection terminated|Client (was closed|has encountered a connection error)|timeout expired|Query read timeout)/;
const NETWORK_CODES = /^(ECONN|EHOST|ENET|ETIMEDOUT|EPIPE|EAI_|ENOTFOUND|ENOENT|EACCES|EADDRNOTAVAIL)/;

const remedies: Readonly<Record<string, string>> = {
  '42501':
    '`plantsync check` names the statements that an administrator has to run; if another role owns the tables, run `plantsync migrate` as that role',
  '42P01': 'run `plantsync migrate`',
  '53100': 'the disk of the server is full: make room',
  '57014':
    'somebody cancelled the statement, or a pooler has set statement_timeout or transaction_timeout for its sessions: set both to 0 in the pooler',
  '53300':
    'raise max_connections of the server or the connection limit of the role, or lower postgres.poolSize or the number of processes',
};

/**
 * Makes a `StoreError` of an error that came from Postgres or from the way to it. `what` says what was being
 * done ("loading objects"). Any other error is returned unchanged.
 */
export function asStoreError(error: unknown, what: string): Error {
  if (error instanceof DatabaseError) {
    const code = error.code ?? '';
    const action: Action = PASSING.test(code) ? 'retry' : 'stop';
    const remedy = remedies[code] === undefined ? '' : `; ${remedies[code]}`;
    return new StoreError(
      `${what}: PostgreSQL answers: ${error.message} (${code})${remedy}`,
      POSTGRES_STORE,
      action,
      {
        cause: error,
      },
    );
  }
  if (isConnectionError(error))
    return new StoreError(
      `${what}: the connection to PostgreSQL was lost (${reasonOf(error)})`,
      POSTGRES_STORE,
      'retry',
      {
        cause: error,
      },
    );
  return error instanceof Error ? error : new Error(String(error));
}

/** Makes a `StoreError` of a failed connect. It says which server failed or refused whom, and what to do. */
export function asConnectError(error: unknown, at: ServerAddress): Error {
  const server = `PostgreSQL at ${at.host}:${at.port}`;
  const fail = (message: string, action: Action): StoreError =>
    new StoreError(message, POSTGRES_STORE, action, { cause: error });
  const code = sqlState(error);
  if (/password must be a (non-empty )?string/.test(messageOf(error)))
    return fail(
      `${server} asks for the password of user ${at.user}, and none is given: set postgres.password`,
      'stop',
    );
  if (code?.startsWith('28'))
    return fail(
      `${server} refused the login of user ${at.user} (${messageOf(error)}): correct the user in postgres.url or postgres.password`,
      'stop',
    );
  if (code === '3D000')
    return fail(`${server} has no database "${at.database}": create it, or correct postgres.url`, 'stop');
  if (code !== undefined) return asStoreError(error, `connecting to ${server}`);
  const remedy = remedyOfCertificate(error, 'postgres.caFile');
  if (remedy !== undefined) return fail(`${server}: ${remedy}`, 'stop');
  if (isConnectionError(error))
    return fail(
      `${server} cannot be reached (${reasonOf(error)}): start it, or correct postgres.url`,
      'retry',
    );
  return fail(`${server}: no connection could be made: ${messageOf(error)}`, 'stop');
}

function isConnectionError(error: unknown): boolean {
  return NETWORK_CODES.test(errorCode(error) ?? '') || CONNECTION_LOST.test(messageOf(error));
}

/**
 * Returns the reason of a failed connection. The error of a name with several addresses has a code, and no
 * message.
 */
function reasonOf(error: unknown): string {
  const code = errorCode(error);
  const message = messageOf(error) === 'timeout expired' ? 'no answer in time' : messageOf(error);
  return message === '' ? (code ?? 'unknown reason') : message;
}

function errorCode(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}
