import { randomUUID } from 'node:crypto';
import { stringify } from 'lossless-json';
import { Temporal } from 'temporal-polyfill';
import { PlatformError } from '../errors.ts';
import type { DialectOptions } from './dialect.ts';
import { WrittenJson } from './json/written-json.ts';
import { type Operation, type OperationId, operations } from './operations.ts';
import { encodeText } from './percent.ts';
import type { PlatformOptions } from './platform-options.ts';

/** The input of an operation without its types, as it is at run time. */
export interface RawInput {
  readonly path?: Readonly<Record<string, unknown>> | undefined;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly body?: unknown;
}

/** A request that is ready to be sent, except for the token. */
export interface BuiltRequest {
  readonly id: OperationId;
  readonly operation: Operation;
  /** The path, percent-encoded, with the prefix of the base URL. */
  readonly path: string;
  /** The query without `?`. It may hold secrets, so it never goes into a log or an error. */
  readonly query: string;
  readonly body: string | undefined;
  /** The name of the request in logs and errors. It holds no secret. */
  readonly label: string;
  /** Texts that an error must not repeat from a reply. */
  readonly secrets: readonly string[];
}

export type RequestOptions = Pick<PlatformOptions, 'baseUrl' | 'appId' | 'secret' | 'timezone' | 'dialect'>;

/** The names of operations whose path or query carries secrets. */
const tokenLabels: Partial<Record<OperationId, string>> = {
  getClientAccessToken: 'access token request',
  refreshClientToken: 'access token refresh',
  authorizeCode: 'authorization request',
  getCodeAccessToken: 'access token request by code',
  refreshCodeToken: 'access token refresh of code mode',
  getTokenUsername: 'user name request of a token',
};

/**
 * Builds the request of an operation. Throws a `PlatformError` of kind `parameter` if a path parameter is
 * missing.
 */
export function buildRequest(options: RequestOptions, id: OperationId, input: RawInput): BuiltRequest {
  const operation: Operation = operations[id];
  const query = withFixedValues(options, id, input.query ?? {});
  const path = joinPath(operation.path, input.path ?? {}, id);
  const { prefix, host } = placeOf(options);
  const carriesSecrets = operation.kind === 'token';
  const what = carriesSecrets ? tokenLabels[id] : `${id} (${operation.method} ${path})`;
  return {
    id,
    operation,
    path: `${prefix}${path}`,
    query: encodeQuery(query, options.dialect.arrayQuery),
    body: writeBody(input.body),
    label: `${what ?? id} at ${host}`,
    secrets: carriesSecrets ? secretTexts(options, { ...query, ...input.path }) : [options.secret],
  };
}

/** Reading a URL takes longer than building the rest of a request. */
const places = new WeakMap<RequestOptions, { readonly prefix: string; readonly host: string }>();

/** Returns the host of the base URL, and what stands before every path. */
function placeOf(options: RequestOptions): { readonly prefix: string; readonly host: string } {
  const known = places.get(options);
  if (known !== undefined) return known;
  const { pathname, host } = new URL(options.baseUrl);
  const place = { prefix: pathname.replace(/\/+/g, '/').replace(/\/$/, ''), host };
  places.set(options, place);
  return place;
}

/**
 * Returns the text of a body. JSON that a person wrote goes out byte for byte: its digits never become a
 * number.
 */
function writeBody(body: unknown): string | undefined {
  if (body === undefined) return undefined;
  return body instanceof WrittenJson ? body.text : stringify(body);
}

function joinPath(template: string, parameters: Readonly<Record<string, unknown>>, id: OperationId): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = parameters[name];
    if (value !== undefined && value !== null && value !== '') return encodeText(String(value));
    throw new PlatformError(
      'platform.missing_parameter',
      `${id}: the path parameter ${name} is missing or empty; state it`,
      {
        kind: 'parameter',
        action: 'skip',
        operation: id,
      },
    );
  });
}

function encodeQuery(query: Readonly<Record<string, unknown>>, form: DialectOptions['arrayQuery']): string {
  return Object.entries(query)
    .filter(([, value]) => value !== undefined && value !== null)
    .flatMap(([name, value]) => encodeParameter(encodeText(name), value, form))
    .join('&');
}

function encodeParameter(name: string, value: unknown, form: DialectOptions['arrayQuery']): string[] {
  if (!Array.isArray(value)) return [`${name}=${encodeText(String(value))}`];
  const texts = value.map((item) => encodeText(String(item)));
  if (form === 'comma') return texts.length > 0 ? [`${name}=${texts.join(',')}`] : [];
  const key = form === 'brackets' ? `${name}%5B%5D` : name;
  return texts.map((text) => `${key}=${text}`);
}

/** Adds the values that the specification fixes, and our credentials if the caller gave no others. */
function withFixedValues(
  options: RequestOptions,
  id: OperationId,
  query: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const { appId: appid, secret } = options;
  if (id === 'getClientAccessToken') return { appid, secret, ...query, grantType: 'client_credential' };
  if (id === 'getCodeAccessToken') return { appid, secret, ...query, grantType: 'authorization_code' };
  if (id === 'authorizeCode') return { appid, state: randomUUID(), ...query, responseType: 'code' };
  if (id !== 'listAlarmHistory') return query;
  return {
    ...query,
    startTime: alarmTime(query.startTime, options),
    endTime: alarmTime(query.endTime, options),
  };
}

/**
 * Writes an instant such as `2024-05-01T00:00:00Z` in the form that the platform takes. Other values stay as
 * they are.
 */
function alarmTime(value: unknown, { dialect, timezone = 'UTC' }: RequestOptions): unknown {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:?\d\d)$/.test(value)) return value;
  const instant = Temporal.Instant.from(value);
  switch (dialect.alarmTimes) {
    case 'offset':
      return instant.toString({ timeZone: timezone, fractionalSecondDigits: 3 });
    case 'utc':
      return instant.toString({ smallestUnit: 'second' });
    case 'epoch-ms':
      return String(instant.epochMilliseconds);
    case 'local':
      return instant
        .toZonedDateTimeISO(timezone)
        .toPlainDateTime()
        .toString({ smallestUnit: 'second' })
        .replace('T', ' ');
  }
}

function secretTexts(options: RequestOptions, values: Readonly<Record<string, unknown>>): string[] {
  const {
    appid: _appid,
    grantType: _grantType,
    responseType: _responseType,
    scope: _scope,
    ...secret
  } = values;
  return [options.secret, ...Object.values(secret).filter((value) => typeof value === 'string')];
}
