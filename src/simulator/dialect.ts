import type { TimeFormat } from './time-format.ts';

/** Where a request under `/openapi` must carry its access token. */
export type TokenPlace =
  | { readonly in: 'header'; readonly name: string /** Empty for a bare token. */; readonly scheme: string }
  | { readonly in: 'query'; readonly name: string };

export type SelectForm = 'quoted' | 'unquoted' | 'parenthesised';

/** Everything that the specification leaves open and that platforms may do differently. */
export interface SimulatorDialect {
  // Tokens
  readonly tokenPlace: TokenPlace;
  /** `opaque` tokens are no JWTs: their expiry is known from `expiresIn` alone. */
  readonly tokenForm: 'jwt' | 'opaque';
  readonly expiresInAs: 'string' | 'number';
  readonly expiresInUnit: 's' | 'ms';
  /** Whether a token reply has a `refreshToken`. */
  readonly refreshTokens: boolean;
  /** Whether a refresh token is good for one refresh only. */
  readonly refreshOnce: boolean;
  readonly extraTokenMembers: boolean;
  /** Whether a new grant or refresh makes older access tokens invalid. */
  readonly grantEndsOldTokens: boolean;
  /** What a request without a valid token gets: 401 `{message}`, 400 with a code, or 401 with a page of HTML. */
  readonly unauthorized: 'gateway' | 'platform' | 'html';
  /** `authorize` answers 200 without content, as specified, or redirects to `redirectUri` at once. */
  readonly authorizeReply: 'ok' | 'redirect';

  // Errors
  readonly errorCode: 'string' | 'integer' | 'absent';
  readonly errorBody: 'json' | 'html';
  /** Whether `data` and `detail` follow `code` and `message`. */
  readonly extraErrorMembers: boolean;
  readonly healthy: boolean;

  // Lists
  readonly arrayQuery: 'repeated' | 'comma' | 'brackets';
  readonly paginationNames: 'pageIndex' | 'current' | 'page';
  readonly pagination: 'present' | 'absent';
  /** `first-page` states it on page 1 alone; `first-page-size` takes what page 1 holds for all there is. */
  readonly total: 'exact' | 'absent' | 'first-page' | 'first-page-size' | 'text' | 'zero' | 'high' | 'low';
  /** What a page past the end holds: nothing, the last record again, or the whole last page again. */
  readonly pastEnd: 'empty' | 'short' | 'last-page';
  /** Every page is the first one. */
  readonly ignorePage: boolean;
  /** The server never sends more records per page than this, whatever was asked. */
  readonly maxPageSize: number | null;
  readonly recordTimes: TimeFormat;

  // Alarms
  readonly alarmTimes: TimeFormat;
  /** The only format in which `startTime` and `endTime` are understood. */
  readonly alarmQueryTimes: 'offset-millis' | 'utc-seconds' | 'epoch-ms' | 'zoneless';

  // Current values
  readonly currentMember: 'params' | 'names' | 'inputs';
  readonly currentReply: 'flat' | 'wrapped';
  /** Spelling of names in the reply: as asked, in quotes, or with the name of the plant before them. */
  readonly currentNames: 'asked' | 'quoted' | 'prefixed';
  /** A missing object gives HTTP 400, or HTTP 200 with code and message. */
  readonly missingObject: 'refused' | 'reported';

  // History
  readonly historySelect: readonly SelectForm[];
  /** Bounds that are not used: left out or empty, always left out, or always sent as empty texts. */
  readonly unusedBounds: 'any' | 'omitted' | 'empty';
  readonly groupByForm: 'period-and-offset' | 'period';
  /** A list of results, the doubly nested form, or one result with a value column per series. */
  readonly historyReply: 'flat' | 'nested' | 'wide';
  /** Name of the value column. */
  readonly valueField: 'value' | 'series';
  readonly columnOrder: 'time-first' | 'value-first';
  readonly historyTimes: TimeFormat;
  readonly historyOrder: 'ascending' | 'descending';
  /** `limit` and `offset` count rows per series, over all series one after the other, or over all by time. */
  readonly limitMeaning: 'series' | 'total' | 'total-by-time';
  readonly defaultLimit: number;
  /** A greater `limit` is refused with 800003. */
  readonly maxLimit: number | null;
  /** Rows beyond this number are left out without a word. */
  readonly hiddenCap: number | null;
  readonly hiddenCapMeaning: 'series' | 'total';
  readonly ignoreOffset: boolean;
  /** One point in four becomes visible only this long after its time. */
  readonly lateBySec: number;

  // Values
  readonly int64As: 'number' | 'string' | 'mixed';
  readonly numbersAs: 'number' | 'string';
  readonly nanAs: 'null' | 'string' | 'bare';
  /** IANA zone of zone-less times and of times with an offset. */
  readonly zone: string;
}

/** The form that public clients of this platform family know. */
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

/** Adds changes to a dialect; an unknown member is an error, so that no misspelt variant goes unnoticed. */
export function changeDialect(
  dialect: SimulatorDialect,
  changes: Partial<SimulatorDialect>,
): SimulatorDialect {
  for (const member of Object.keys(changes))
    if (!(member in defaultDialect)) throw new Error(`the simulator's dialect has no member ${member}`);
  return { ...dialect, ...changes };
}
