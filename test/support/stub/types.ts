import type { IncomingMessage } from 'node:http';

/** A request that the stub received, and the status of its answer. */
export interface StubRequest {
  readonly atMs: number;
  readonly method: string;
  /** The path as it was sent: with the prefix, percent-encoded. */
  readonly rawPath: string;
  /** The path without the prefix, percent-encoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly rawQuery: string;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
  /** The parsed body. Undefined without a body. */
  readonly body: unknown;
  /** The access token of the request. Undefined without a token. */
  readonly token: string | undefined;
  /** The status of the answer. Undefined before the answer, 0 for a broken connection. */
  status: number | undefined;
}

/** An answer of the stub. `body` is sent as JSON, `text` as it is. */
export interface StubAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly text?: string;
  /** A body in bytes, for example a compressed body. */
  readonly bytes?: Uint8Array;
  /** The milliseconds before the answer. */
  readonly delayMs?: number;
  /**
   * `reset` breaks the connection without an answer, `silent` never answers, `truncated` breaks off inside
   * the body.
   */
  readonly fault?: 'reset' | 'silent' | 'truncated';
}

/** Everything that the stub serves. A test may change it at any time: each request reads it again. */
export interface StubScript {
  /** The entries by path, for example `/openapi/users/v1`. Lists that are not named are empty. */
  lists?: Record<string, readonly unknown[]>;
  /** The objects by path, for example `/openapi/objects/v1/pump1`. Others are "not found". */
  details?: Record<string, unknown>;
  /** The rows `[time, value]` by series name `object.property`. */
  history?: Record<string, readonly (readonly [time: string, value: unknown])[]>;
  /** The current values by series name. */
  current?: Record<string, unknown>;
  /** The `expiresIn` of token replies. `"7200"` if not given. */
  expiresIn?: string | number;
  /** A part of every token: `ATname-1`. */
  tokenName?: string;
  /** The milliseconds after which an access token is refused. */
  tokenLivesMs?: number;
  /** The delay of every answer under `/openapi`. */
  delayMs?: number;
  /** The path prefix of the base URL, for example `/gw`. */
  prefix?: string;
  tls?: { key: string; cert: string; requestCert?: boolean; ca?: string };
  /**
   * Answers instead of the default. Returns undefined to leave the request to the default. Runs before the
   * token is checked.
   */
  answer?: (
    request: StubRequest,
    stub: StubPlatform,
  ) => StubAnswer | undefined | Promise<StubAnswer | undefined>;
}

export interface StubPlatform {
  /** The base URL with the prefix, without a slash at the end. */
  readonly baseUrl: string;
  readonly script: StubScript;
  /** Every request, oldest first. */
  readonly journal: readonly StubRequest[];
  /** Returns the requests whose path (without prefix) is or begins with this path. */
  requestsTo(path: string): StubRequest[];
  /** Returns the requests for tokens and refreshes. */
  tokenRequests(): StubRequest[];
  /** Returns the default answer, for an `answer` that changes only a part of it. */
  defaultAnswer(request: StubRequest): StubAnswer;
  /** Ends the life of all access tokens issued so far. */
  revokeTokens(): void;
  /** Returns the largest number of requests that were open at once. */
  mostOpen(): number;
  close(): Promise<void>;
}
