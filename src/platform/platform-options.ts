import { type DialectOptions, defaultDialect } from './dialect.ts';

/** What the client must know about a platform. Certificates and keys are PEM text. */
export interface PlatformOptions {
  /** The base URL, with or without a path prefix and a slash at the end. */
  readonly baseUrl: string;
  readonly appId: string;
  readonly secret: string;
  /** IANA zone of the platform, for times that go out in local form; UTC if not stated. */
  readonly timezone?: string | undefined;
  /** Entries that are asked for per page of a list, 1 to 100. */
  readonly pageSize: number;
  /** The limit of one request: connecting, headers and body together. */
  readonly requestTimeoutMs: number;
  /** The limit of one call with all its retries, counted from its first request. */
  readonly deadlineMs: number;
  /** How often a retriable failure is tried again. */
  readonly retries: number;
  /** A larger reply is refused while it arrives. */
  readonly maxBodyBytes: number;
  /** Whether replies are asked for compressed. It costs both sides time, and pays on a slow link. */
  readonly gzip?: boolean | undefined;
  /** Upper bound of the requests under way at once. The client finds the right number below it. */
  readonly maxConcurrency: number;
  /** The most requests per second. Undefined means no limit. */
  readonly requestsPerSecond?: number | undefined;
  /** A certificate authority that is trusted besides the public ones. */
  readonly ca?: string | undefined;
  /** Client certificate and its key. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  /** URL of a proxy; if undefined, HTTPS_PROXY, HTTP_PROXY and NO_PROXY of the environment apply. */
  readonly proxy?: string | undefined;
  readonly userAgent: string;
  readonly dialect: DialectOptions;
}

export const platformDefaults = {
  pageSize: 100,
  requestTimeoutMs: 30_000,
  deadlineMs: 120_000,
  retries: 4,
  maxBodyBytes: 64 * 1024 * 1024,
  maxConcurrency: 16,
  userAgent: 'plantsync',
  dialect: defaultDialect,
} as const satisfies Partial<PlatformOptions>;
