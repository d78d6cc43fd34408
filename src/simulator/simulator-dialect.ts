import { z } from 'zod';
import { isTimeZone } from '../time-zone.ts';
import { checkValue } from './check-value.ts';
import { timeFormats } from './time-format.ts';

const oneOf = <const T extends readonly string[]>(...values: T) => z.enum(values);
const count = () => z.int().min(0);
const countOrNull = () => z.int().min(1).nullable();
const timeFormat = () => z.enum(timeFormats);

/**
 * All points that the specification leaves open and that platforms may do differently. Types, help and
 * refusals are made from this schema.
 */
const dialectSchema = z.strictObject({
  // Tokens
  /** Where a request under `/openapi` must carry its access token. An empty scheme means a bare token. */
  tokenPlace: z
    .discriminatedUnion('in', [
      z.strictObject({ in: z.literal('header'), name: z.string().min(1), scheme: z.string() }),
      z.strictObject({ in: z.literal('query'), name: z.string().min(1) }),
    ])
    .readonly()
    .meta({ form: '{in: header, name: TEXT, scheme: TEXT} or {in: query, name: TEXT}' }),
  /** `opaque` tokens are no JWTs: only `expiresIn` tells when they end. */
  tokenForm: oneOf('jwt', 'opaque'),
  expiresInAs: oneOf('string', 'number'),
  expiresInUnit: oneOf('s', 'ms'),
  /** Whether a token reply has a `refreshToken`. */
  refreshTokens: z.boolean(),
  /** Whether a refresh token is good for one refresh only. */
  refreshOnce: z.boolean(),
  extraTokenMembers: z.boolean(),
  /** Whether a new grant or refresh makes older access tokens invalid. */
  grantEndsOldTokens: z.boolean(),
  /**
   * The reply to a request without a valid token: 401 `{message}`, 400 with a code, or 401 with a page of
   * HTML.
   */
  unauthorized: oneOf('gateway', 'platform', 'html'),
  /** `authorize` answers 200 without content, as specified, or redirects to `redirectUri` at once. */
  authorizeReply: oneOf('ok', 'redirect'),

  // Errors
  errorCode: oneOf('string', 'integer', 'absent'),
  errorBody: oneOf('json', 'html'),
  /** Whether `data` and `detail` follow `code` and `message`. */
  extraErrorMembers: z.boolean(),
  healthy: z.boolean(),

  // Lists
  arrayQuery: oneOf('repeated', 'comma', 'brackets'),
  paginationNames: oneOf('pageIndex', 'current', 'page'),
  pagination: oneOf('present', 'absent'),
  /**
   * `first-page` states the total on page 1 alone. `first-page-size` states the size of page 1 as the total.
   */
  total: oneOf('exact', 'absent', 'first-page', 'first-page-size', 'text', 'zero', 'high', 'low'),
  /** What a page past the end holds: nothing, the last record again, or the whole last page again. */
  pastEnd: oneOf('empty', 'short', 'last-page'),
  /** Whether every page is the first one. */
  ignorePage: z.boolean(),
  /** The server never sends more records per page than this, whatever was asked. */
  maxPageSize: countOrNull(),
  recordTimes: timeFormat(),

  // Alarms
  alarmTimes: timeFormat(),
  /** The only format in which `startTime` and `endTime` are understood. */
  alarmQueryTimes: oneOf('offset-millis', 'utc-seconds', 'epoch-ms', 'zoneless'),

  // Current values
  currentMember: oneOf('params', 'names', 'inputs'),
  currentReply: oneOf('flat', 'wrapped'),
  /** Spelling of names in the reply: as asked, in quotes, or with the name of the plant before them. */
  currentNames: oneOf('asked', 'quoted', 'prefixed'),
  /** The reply about a missing object: HTTP 400, or HTTP 200 with code and message. */
  missingObject: oneOf('refused', 'reported'),

  // History
  historySelect: z
    .array(oneOf('quoted', 'unquoted', 'parenthesised'))
    .min(1)
    .readonly(),
  /** Bounds that are not used may be left out or empty, must be left out, or must be sent as empty texts. */
  unusedBounds: oneOf('any', 'omitted', 'empty'),
  /** Bounds that have no effect on the reply. With `both` the reply holds all points of a series. */
  ignoreBounds: oneOf('none', 'ge', 'lt', 'both'),
  groupByForm: oneOf('period-and-offset', 'period'),
  /** A list of results, the doubly nested form, or one result with a value column per series. */
  historyReply: oneOf('flat', 'nested', 'wide'),
  /** Name of the value column. */
  valueField: oneOf('value', 'series'),
  columnOrder: oneOf('time-first', 'value-first'),
  historyTimes: timeFormat(),
  historyOrder: oneOf('ascending', 'descending'),
  /**
   * What `limit` and `offset` count: rows per series, over all series one after the other, or over all by
   * time.
   */
  limitMeaning: oneOf('series', 'total', 'total-by-time'),
  defaultLimit: z.int().min(1),
  /** A greater `limit` is refused with 800003. */
  maxLimit: countOrNull(),
  /** Rows beyond this number are left out, and the reply does not say so. */
  hiddenCap: countOrNull(),
  hiddenCapMeaning: oneOf('series', 'total'),
  ignoreOffset: z.boolean(),
  /** One point in four becomes visible only this long after its time. */
  lateBySec: count(),

  // Values
  int64As: oneOf('number', 'string', 'mixed'),
  numbersAs: oneOf('number', 'string'),
  nanAs: oneOf('null', 'string', 'bare'),
  /** IANA zone of zone-less times and of times with an offset. */
  zone: z.string().refine(isTimeZone).meta({ form: 'an IANA time zone such as Asia/Shanghai' }),
});

export type SimulatorDialect = Readonly<z.infer<typeof dialectSchema>>;
export type TokenPlace = SimulatorDialect['tokenPlace'];
export type SelectForm = SimulatorDialect['historySelect'][number];

/** Some changes of a dialect. */
export const dialectChanges = dialectSchema.partial();

/** The dialect that public clients of this platform family know. */
export const defaultDialect: SimulatorDialect = {
  tokenPlace: { in: 'header', name: 'Authorization', scheme: 'Bearer' },
  tokenForm: 'jwt',
  expiresInAs: 'string',
  expiresInUnit: 's',
  refreshTokens: true,
  refreshOnce: false,
  extraTokenMembers: false,
  grantEndsOldTokens: false,
  unauthorized: 'gateway',
  authorizeReply: 'ok',
  errorCode: 'string',
  errorBody: 'json',
  extraErrorMembers: false,
  healthy: true,
  arrayQuery: 'repeated',
  paginationNames: 'pageIndex',
  pagination: 'present',
  total: 'exact',
  pastEnd: 'empty',
  ignorePage: false,
  maxPageSize: null,
  recordTimes: 'utc',
  alarmTimes: 'utc',
  alarmQueryTimes: 'offset-millis',
  currentMember: 'params',
  currentReply: 'flat',
  currentNames: 'asked',
  missingObject: 'refused',
  historySelect: ['quoted'],
  unusedBounds: 'any',
  ignoreBounds: 'none',
  groupByForm: 'period-and-offset',
  historyReply: 'flat',
  valueField: 'value',
  columnOrder: 'time-first',
  historyTimes: 'utc',
  historyOrder: 'ascending',
  limitMeaning: 'series',
  defaultLimit: 1000,
  maxLimit: null,
  hiddenCap: null,
  hiddenCapMeaning: 'series',
  ignoreOffset: false,
  lateBySec: 0,
  int64As: 'number',
  numbersAs: 'number',
  nanAs: 'string',
  zone: 'Asia/Shanghai',
};

/** Adds changes to a dialect. Throws if a member is unknown or has a value that is not allowed. */
export function changeDialect(
  dialect: SimulatorDialect,
  changes: Partial<SimulatorDialect>,
): SimulatorDialect {
  return { ...dialect, ...checkValue(dialectChanges, changes, 'dialect') } as SimulatorDialect;
}
