import { DatabaseError } from 'pg';
import type { CodeOf } from '../error-codes/error-codes.ts';
import { type Action, messageOf, StoreError } from '../errors.ts';
import { remedyOfCertificate } from '../tls.ts';

/** Where a login or connection goes. Errors name it, so it holds no secret. */
export interface ServerAddress {
  /** Host, or the folder of the Unix socket. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
}

/** Tells whether Postgres undid work that met other work. Data and session are whole then. */
export function isConflict(error: unknown): boolean {
  return CONFLICT.test(sqlState(error) ?? '');
}

/** Tells whether Postgres refused a row because another one has its key. */
export function isDuplicateKey(error: unknown): boolean {
  return sqlState(error) === '23505';
}

/** Returns the SQLSTATE of an error of Postgres, also if the error is the cause of a `StoreError`. */
export function sqlState(error: unknown): string | undefined {
  if (error instanceof DatabaseError) return error.code;
  return error instanceof Error && error.cause !== undefined ? sqlState(error.cause) : undefined;
}

const CONNECTION_LOST =
  /^(Connection terminated|Client (was closed|has encountered a connection error)|timeout expired|Query read timeout)/;
const NETWORK_CODES = /^(ECONN|EHOST|ENET|ETIMEDOUT|EPIPE|EAI_|ENOTFOUND|ENOENT|EACCES|EADDRNOTAVAIL)/;

/** The meaning of an answer of the server. */
interface Answer {
  /** Matches the SQLSTATEs of the answer. */
  readonly state: RegExp;
  readonly code: CodeOf<'postgres'>;
  /** The action is `retry` for failures that may pass by themselves. */
  readonly action: Action;
  readonly remedy?: string;
}

/** The states of a serialization failure and of a deadlock. */
const CONFLICT = /^(40001|40P01)$/;

/** Answers of the server. The first one that matches counts. */
const answers: readonly Answer[] = [
  { state: /^08/, code: 'postgres.connection_lost', action: 'retry' },
  { state: /^(22|23|54)/, code: 'postgres.refused_value', action: 'stop' },
  // The server has just become the standby.
  { state: /^25006/, code: 'postgres.read_only', action: 'retry' },
  { state: /^(25P0[34]|57P0[1235])/, code: 'postgres.restarting', action: 'retry' },
  { state: /^28/, code: 'postgres.wrong_password', action: 'stop' },
  { state: /^3D000/, code: 'postgres.missing_database', action: 'stop' },
  { state: CONFLICT, code: 'postgres.conflict', action: 'retry' },
  {
    state: /^42501/,
    code: 'postgres.no_rights',
    action: 'stop',
    remedy:
      '`plantsync check` names the statements that an administrator has to run; if another role owns the tables, run `plantsync migrate` as that role',
  },
  { state: /^42P01/, code: 'postgres.missing_table', action: 'stop', remedy: 'run `plantsync migrate`' },
  {
    state: /^53100/,
    code: 'postgres.disk_full',
    action: 'retry',
    remedy: 'the disk of the server is full: make room',
  },
  { state: /^53200/, code: 'postgres.out_of_memory', action: 'retry' },
  {
    state: /^53300/,
    code: 'postgres.too_many_connections',
    action: 'retry',
    remedy:
      'raise max_connections of the server or the connection limit of the role, or lower postgres.poolSize or the number of processes',
  },
  { state: /^(53400|58030)/, code: 'postgres.refused_statement', action: 'retry' },
  { state: /^55P03/, code: 'postgres.locked', action: 'retry' },
  {
    state: /^57014/,
    code: 'postgres.cancelled',
    action: 'retry',
    remedy:
      'somebody cancelled the statement, or a pooler has set statement_timeout or transaction_timeout for its sessions: set both to 0 in the pooler',
  },
];

const OTHER_ANSWER = { code: 'postgres.refused_statement', action: 'stop', remedy: undefined } as const;

/**
 * Makes a `StoreError` of an error that came from Postgres or from the way to it. `what` says what was being
 * done ("loading objects"). Any other error is returned unchanged.
 */
export function asStoreError(error: unknown, what: string): Error {
  if (error instanceof DatabaseError) {
    const state = error.code ?? '';
    const { code, action, remedy } = answers.find((each) => each.state.test(state)) ?? OTHER_ANSWER;
    const advice = remedy === undefined ? '' : `; ${remedy}`;
    return new StoreError(code, `${what}: PostgreSQL answers: ${error.message} (${state})${advice}`, {
      action,
      cause: error,
    });
  }
  if (isConnectionError(error))
    return new StoreError(
      'postgres.connection_lost',
      `${what}: the connection to PostgreSQL was lost (${causeOf(error)})`,
      { action: 'retry', cause: error },
    );
  return error instanceof Error ? error : new Error(String(error));
}

/** Makes a `StoreError` of a failed connect. It says which server failed or refused whom, and what to do. */
export function asConnectError(error: unknown, at: ServerAddress): Error {
  if (error instanceof StoreError) return error;
  const server = `PostgreSQL at ${at.host}:${at.port}`;
  const fail = (code: CodeOf<'postgres'>, message: string, action: Action = 'stop'): StoreError =>
    new StoreError(code, message, { action, cause: error });
  const state = sqlState(error);
  if (/password must be a (non-empty )?string/.test(messageOf(error)))
    return fail(
      'postgres.missing_password',
      `${server} asks for the password of user ${at.user}, and none is given: set postgres.password`,
    );
  if (state?.startsWith('28'))
    return fail(
      'postgres.wrong_password',
      `${server} refused the login of user ${at.user} (${messageOf(error)}): correct the user in postgres.url or postgres.password`,
    );
  if (state === '3D000')
    return fail(
      'postgres.missing_database',
      `${server} has no database "${at.database}": create it, or correct postgres.url`,
    );
  if (state !== undefined) return asStoreError(error, `connecting to ${server}`);
  const remedy = remedyOfCertificate(error, 'postgres.caFile');
  if (remedy !== undefined) return fail('postgres.tls_failed', `${server}: ${remedy}`);
  if (isConnectionError(error))
    return fail(
      'postgres.unreachable',
      `${server} cannot be reached (${causeOf(error)}): start it, or correct postgres.url`,
      'retry',
    );
  return fail('postgres.connect_failed', `${server}: no connection could be made: ${messageOf(error)}`);
}

function isConnectionError(error: unknown): boolean {
  return NETWORK_CODES.test(systemCodeOf(error) ?? '') || CONNECTION_LOST.test(messageOf(error));
}

/**
 * Returns the reason of a failed connection. The error of a name with several addresses has a code, and no
 * message.
 */
function causeOf(error: unknown): string {
  const code = systemCodeOf(error);
  const message = messageOf(error) === 'timeout expired' ? 'no answer in time' : messageOf(error);
  return message === '' ? (code ?? 'unknown reason') : message;
}

function systemCodeOf(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}
