import type { CodeOf } from '../error-codes/error-codes.ts';
import { redact } from '../redact.ts';
import { type Failure, tooLarge } from './failure.ts';
import type { BuiltRequest } from './request.ts';
import { whyNoCode } from './transport/redirection.ts';

/** What the platform, or a gateway before it, said instead of a successful reply. */
export interface Said {
  readonly status: number;
  readonly code?: string | undefined;
  readonly message?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  /** Where a redirect leads. */
  readonly location?: string | undefined;
}

const SAYS_AUTH =
  /\b(?:access[_ ]?|refresh[_ ]?)?token\b|unauthori[sz]ed|not authori[sz]ed|unauthenticated|not logged in|\bexpired\b|令牌|未授权|未登录|已过期/i;
const SAYS_MISSING = /not[ _]?found|do(?:es)?(?: not|n't) exist|no such|not exist|不存在|未找到|找不到/i;
const overloadStatuses = new Set([408, 429, 503, 504]);
const MAX_QUOTED_LENGTH = 200;

/**
 * Classifies a refusal. In the specification every error has HTTP status 400, so its codes decide (Errors
 * part: 800001 operation failed, 800002 internal exception, 800003 parameter error). Other HTTP statuses come
 * from gateways, or as `code`.
 */
export function classifyRefusal(request: BuiltRequest, said: Said): Failure {
  const { code, retryAfterMs } = said;
  const status = effectiveStatus(said);
  const reason = describe(request, said);
  const common: CommonFacts = {
    reason,
    status: said.status,
    platformCode: code,
    retryAfterMs,
    load: 'none',
    notDone: false,
  };
  if (code === '800002' || isPassing(status, code)) return busy({ ...common, httpStatus: status });
  if (status === 413)
    return {
      ...tooLarge('platform.request_too_large', `${reason}; ask for less at once`),
      status: said.status,
      platformCode: code,
    };
  if (request.operation.kind === 'token') return noToken(request, said, common);
  if (status === 401 || status === 403 || (status === 400 && isAboutToken(request, said.message ?? '')))
    return {
      ...common,
      code: status === 403 ? 'platform.forbidden_operation' : 'platform.unauthorized',
      kind: 'auth',
      action: 'stop',
      retries: 0,
      refusedToken: true,
      notDone: true,
    };
  if (code === '800003')
    return { ...common, code: 'platform.wrong_parameter', kind: 'parameter', action: 'skip', retries: 0 };
  if (SAYS_MISSING.test(said.message ?? '') || (status === 404 && request.operation.path.includes('{')))
    return { ...common, code: 'platform.not_found', kind: 'missing', action: 'skip', retries: 0 };
  if (status === 400)
    return {
      ...common,
      code: codeOfFailed(said),
      kind: 'failed',
      action: 'skip',
      retries: 2,
      load: 'failing',
    };
  return {
    ...common,
    code: 'platform.wrong_address',
    kind: 'failed',
    action: 'stop',
    retries: 0,
    reason: `${reason}; check platform.baseUrl`,
  };
}

/**
 * Returns true if the message speaks of the token. Names that the request itself holds are taken out of the
 * message before, since an object may have such a name.
 */
function isAboutToken({ path, body }: BuiltRequest, message: string): boolean {
  const texts = [...(body ?? '').matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, text]) =>
    (text ?? '').replaceAll('\\', ''),
  );
  const names = [...path.split('/').map(decodeURIComponent), ...texts].flatMap((text) => [
    text,
    text.replace(/\.[^.]*$/, ''),
  ]);
  const rest = names
    .filter((name) => name.length > 1)
    .reduce((text, name) => text.replaceAll(name, ''), message);
  return SAYS_AUTH.test(rest);
}

/** Returns the error code of a failed operation. A reply with the status of a success may state no reason. */
function codeOfFailed({ status, code }: Said): CodeOf<'platform'> {
  return status < 300 && code === undefined ? 'platform.odd_success' : 'platform.operation_failed';
}

/**
 * Makes the failure of a refused token operation. A platform that refuses credentials answers with a code. If
 * the path does not exist, another server answers.
 */
function noToken(request: BuiltRequest, said: Said, common: CommonFacts): Failure {
  const fail = (code: CodeOf<'platform'>, hint: string): Failure => ({
    ...common,
    code,
    kind: 'auth',
    action: 'stop',
    retries: 0,
    reason: `${common.reason}; ${hint}`,
  });
  const { status, code } = said;
  if (request.id === 'authorizeCode' && status >= 300 && status < 400)
    return fail('platform.not_authorized', whyNoCode(request, said));
  if (code === undefined && (status === 404 || status === 405))
    return fail(
      'platform.wrong_address',
      'there is no token operation at this address: check the path prefix in platform.baseUrl',
    );
  return fail('platform.wrong_secret', 'check platform.appId and platform.secret');
}

/** The members that all failures by a refusal have. */
type CommonFacts = Pick<Failure, 'reason' | 'status' | 'platformCode' | 'retryAfterMs' | 'load' | 'notDone'>;

/** Returns the status of a refusal. A code like an HTTP status counts if the status itself says little. */
function effectiveStatus({ status, code }: Said): number {
  const vague = status === 400 || status < 300;
  if (vague && code !== undefined && /^[45]\d\d$/.test(code)) return Number(code);
  return status < 300 ? 400 : status;
}

function isPassing(status: number, code: string | undefined): boolean {
  return status === 425 || overloadStatuses.has(status) || (status >= 500 && code !== '800003');
}

/**
 * Returns the failure of a busy platform. A server says 429 and 425 before it looks at the request, and also
 * a 503 with a time to come back. After these even a write may be sent again.
 */
function busy({ httpStatus, ...common }: CommonFacts & { httpStatus: number }): Failure {
  return {
    ...common,
    code: codeOfBusy(httpStatus),
    kind: 'unavailable',
    action: 'retry',
    retries: Number.POSITIVE_INFINITY,
    load: overloadStatuses.has(httpStatus) ? 'overload' : 'failing',
    notDone:
      httpStatus === 429 || httpStatus === 425 || (httpStatus === 503 && common.retryAfterMs !== undefined),
  };
}

function codeOfBusy(status: number): CodeOf<'platform'> {
  if (status === 429) return 'platform.too_many_requests';
  return status === 425 || overloadStatuses.has(status) ? 'platform.overloaded' : 'platform.internal_error';
}

/**
 * Describes a refusal, like `HTTP 400, code 800001: object ghost not found`. Secrets of the request are left
 * out.
 */
function describe(request: BuiltRequest, { status, code, message, location }: Said): string {
  const parts = [`HTTP ${status}`];
  if (code !== undefined) parts.push(`code ${quote(code, request.secrets)}`);
  const head = parts.join(', ');
  if (status >= 300 && status < 400) return `${head}: redirected${redirectTarget(location)}`;
  return message === undefined ? head : `${head}: ${quote(message, request.secrets)}`;
}

function redirectTarget(location: string | undefined): string {
  return location !== undefined && URL.canParse(location) ? ` to ${new URL(location).origin}` : '';
}

/** Returns the beginning of what the platform said, without secrets and on one line. */
function quote(text: string, secrets: readonly string[]): string {
  const line = redact(text, secrets).replace(/\s+/g, ' ').trim();
  return line.length > MAX_QUOTED_LENGTH ? `${line.slice(0, MAX_QUOTED_LENGTH)}…` : line;
}
