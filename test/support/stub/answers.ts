import type { StubAnswer, StubRequest, StubScript } from './types.ts';

/**
 * The tokens `AT-n` and `RT-n` (with a name, `ATname-n`), numbered over all calls for tokens and refreshes.
 */
export class StubTokens {
  readonly #issuedAtMs = new Map<string, number>();
  readonly #refreshTokens = new Set<string>();
  #count = 0;

  issue({ expiresIn = '7200', tokenName = '' }: StubScript): StubAnswer {
    this.#count += 1;
    const accessToken = `AT${tokenName}-${this.#count}`;
    const refreshToken = `RT${tokenName}-${this.#count}`;
    this.#issuedAtMs.set(accessToken, Date.now());
    this.#refreshTokens.add(refreshToken);
    return { body: { accessToken, expiresIn, refreshToken } };
  }

  /** Takes a refresh token, which works once. Returns false for any other token. */
  takeRefreshToken(token: string | null): boolean {
    return token !== null && this.#refreshTokens.delete(token);
  }

  isValid(token: string | undefined, livesMs: number): boolean {
    const issuedAtMs = token === undefined ? undefined : this.#issuedAtMs.get(token);
    return issuedAtMs !== undefined && Date.now() - issuedAtMs < livesMs;
  }

  revokeAll(): void {
    this.#issuedAtMs.clear();
  }
}

const listPaths = [
  /^\/openapi\/(?:persons|users|orgs|objects|networks)\/v1$/,
  /^\/openapi\/alarms\/v1\/(?:current|history)$/,
  /^\/openapi\/orgs\/v1\/[^/]+\/(?:nodes|persons)$/,
  /^\/openapi\/objects\/v1\/[^/]+\/properties$/,
];

/** Answers a request with the script's data, as the specification describes it. */
export function answerByDefault(request: StubRequest, script: StubScript, tokens: StubTokens): StubAnswer {
  const { path, query, method } = request;
  if (path.startsWith('/oauth2/')) return answerToken(request, script, tokens);
  if (!tokens.isValid(request.token, script.tokenLivesMs ?? Number.POSITIVE_INFINITY))
    return { status: 401, body: { code: '800001', message: 'invalid token' } };
  if (path === '/openapi/health') return { body: { result: 'ok' } };
  if (method === 'POST') return answerPost(request, script);
  const detail = script.details?.[path];
  if (detail !== undefined) return { body: detail };
  const entries = script.lists?.[path];
  if (entries === undefined && !listPaths.some((pattern) => pattern.test(path)))
    return generalError('not found');
  if (path === '/openapi/alarms/v1/current') return { body: { list: entries ?? [] } };
  return answerPage(entries ?? [], query);
}

function answerToken({ path, query }: StubRequest, script: StubScript, tokens: StubTokens): StubAnswer {
  const issue = () => tokens.issue(script);
  if (/\/accessToken$/.test(path))
    return query.get('secret') === null ? generalError('secret is missing') : issue();
  if (/\/refreshToken$/.test(path))
    return tokens.takeRefreshToken(query.get('refreshToken'))
      ? issue()
      : generalError('refreshToken invalid');
  if (/\/username$/.test(path)) return { body: { userName: 'stub' } };
  return path === '/oauth2/code/v1/authorize' ? { status: 200 } : generalError('not found');
}

function answerPost({ path, body }: StubRequest, script: StubScript): StubAnswer {
  if (path === '/openapi/objects/v1/properties/current') return answerCurrent(body, script);
  if (path === '/openapi/objects/v1/properties/history') return answerHistory(body, script);
  if (path.endsWith('/deleteDataTableEntry')) return { status: 204 };
  return { status: 201, headers: { location: path }, body: {} };
}

function answerPage(entries: readonly unknown[], query: URLSearchParams): StubAnswer {
  const [page, size] = [Number(query.get('page') ?? 1), Number(query.get('per_page') ?? 20)];
  if (!(page >= 1) || !(size >= 1 && size <= 100)) return generalError('parameter error', '800003');
  const list = entries.slice((page - 1) * size, page * size);
  return { body: { list, pagination: { pageIndex: page, pageSize: size, total: entries.length } } };
}

function answerCurrent(body: unknown, script: StubScript): StubAnswer {
  const { params } = body as { params: string[] };
  return { body: Object.fromEntries(params.map((name) => [name, script.current?.[name] ?? null])) };
}

interface HistoryBody {
  readonly select: readonly string[];
  readonly where?: { readonly and?: { readonly timestamp?: Readonly<Record<string, string>> } };
  readonly limit?: number;
  readonly offset?: number;
}

/** Answers with the rows of each series, oldest first, within the bounds. `limit` counts per series. */
function answerHistory(body: unknown, script: StubScript): StubAnswer {
  const { select, where, limit = Number.POSITIVE_INFINITY, offset = 0 } = body as HistoryBody;
  const bounds = where?.and?.timestamp ?? {};
  const results = select.map((entry) => {
    const name = entry.replace(/^\(|\)$/g, '').replace(/^"|"$/g, '');
    const rows = (script.history?.[name] ?? []).filter(([time]) => isWithin(Date.parse(time), bounds));
    const sorted = rows.toSorted(([a], [b]) => Date.parse(a) - Date.parse(b));
    return { fields: ['time', entry], datas: sorted.slice(offset, offset + limit) };
  });
  return { body: { results: [{ results }] } };
}

function isWithin(atMs: number, { ge, gt, le, lt }: Readonly<Record<string, string>>): boolean {
  return (
    (!ge || atMs >= Date.parse(ge)) &&
    (!gt || atMs > Date.parse(gt)) &&
    (!le || atMs <= Date.parse(le)) &&
    (!lt || atMs < Date.parse(lt))
  );
}

/** Returns HTTP 400 with a GeneralError body. */
export function generalError(message: string, code = '800001'): StubAnswer {
  return { status: 400, body: { code, message } };
}

/** Answers the first requests to the path with these answers, then leaves requests to the default. */
export function first(
  path: string,
  answers: readonly StubAnswer[],
): (request: StubRequest) => StubAnswer | undefined {
  const left = [...answers];
  return (request) => (request.path === path ? left.shift() : undefined);
}

/** Answers every request to the path with this answer. */
export function always(path: string, answer: StubAnswer): (request: StubRequest) => StubAnswer | undefined {
  return (request) => (request.path === path ? answer : undefined);
}
