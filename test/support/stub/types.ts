import type { IncomingMessage } from 'node:http';

/** A request as the stub saw it, and how it answered. */
export interface StubRequest {
  readonly atMs: number;
  readonly method: string;
  /** As sent: with the prefix, percent-encoded. */
  readonly rawPath: string;
  /** Without the prefix, percent-encoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly rawQuery: string;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
  /** Parsed body, or undefined. */
  readonly body: unknown;
  /** The access token presented, or undefined. */
  readonly token: string | undefined;
  /** Status of the answer, once it was given; 0 for a broken connection. */
  status: number | undefined;
}

/** What the stub answers. `body` goes out as JSON, `text` as it is. */
export interface StubAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly text?: string;
  /** A body in bytes, for example a compressed one. */
  readonly bytes?: Uint8Array;
  /** Milliseconds before the answer. */
  readonly delayMs?: number;
  /** `reset` breaks the connection unanswered, `silent` never answers, `truncated` breaks off in the middle of the body. */
  readonly fault?: 'reset' | 'silent' | 'truncated';
}

/** Everything the stub serves. It may be changed at any time: each request looks at it anew. */
export interface StubScript {
  /** Entries by path, for example `/openapi/users/v1`. Lists that are not named are empty. */
  lists?: Record<string, readonly unknown[]>;
  /** Objects by path, for example `/openapi/objects/v1/pump1`; others are "not found". */
  details?: Record<string, unknown>;
  /** Rows `[time, value]` by series name `object.property`. */
  history?: Record<string, readonly (readonly [time: string, value: unknown])[]>;
  /** Current values by series name. */
  current?: Record<string, unknown>;
  /** `expiresIn` of token replies; `"7200"` if not stated. */
  expiresIn?: string | number;
  /** Part of every token: `ATname-1`. */
  tokenName?: string;
  /** Access tokens are refused this long after their issue. */
  tokenLivesMs?: number;
  /** Delay of every answer under `/openapi`. */
  delayMs?: number;
  /** Path prefix of the base URL, for example `/gw`. */
  prefix?: string;
  tls?: { key: string; cert: string; requestCert?: boolean; ca?: string };
  /** Answers in place of the default; undefined leaves the request to the default. Runs before the token is looked at. */
  answer?: (
    request: StubRequest,
    stub: StubPlatform,
  ) => StubAnswer | undefined | Promise<StubAnswer | undefined>;
}

export interface StubPlatform {
  /** With the prefix, without a slash at the end. */
  readonly baseUrl: string;
  readonly script: StubScript;
  /** Every request, oldest first. */
  readonly journal: readonly StubRequest[];
  /** Requests whose path (without prefix) is or starts with this. */
  requestsTo(path: string): StubRequest[];
  /** Token and refresh requests. */
  tokenRequests(): StubRequest[];
  /** The stub's own answer, for an `answer` that only wants to change a part. */
  defaultAnswer(request: StubRequest): StubAnswer;
  /** Ends the life of all access tokens issued so far. */
  revokeTokens(): void;
  /** How many requests were open at once at most. */
  mostOpen(): number;
  close(): Promise<void>;
}
