import type { FastifyRequest } from 'fastify';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { Config } from '../../config/config-schema.ts';
import { PlantsyncError } from '../../errors.ts';
import { isLoopback, nameOf } from './host-names.ts';
import { isSame, isSession, SESSION_COOKIE } from './session.ts';

export type AccessSettings = Pick<Config['console'], 'host' | 'token' | 'hosts'>;

/** Wrong tokens that one address may send in a minute. */
const MOST_WRONG = 10;
const WRONG_IN_SEC = 60;

/** What browsers say of requests by the page itself, and by its user. */
const OWN_SITES = ['same-origin', 'none'];

/**
 * Decides who may see and change what. Without a token the console is open to this machine alone. With one,
 * each request needs it: as a Bearer token, or as the cookie of a browser that has signed in with it.
 */
export class Access {
  readonly #settings: AccessSettings;
  readonly #clock: () => number;
  readonly #wrong = new RateLimiterMemory({ points: MOST_WRONG, duration: WRONG_IN_SEC });

  constructor(settings: AccessSettings, clock: () => number) {
    this.#settings = settings;
    this.#clock = clock;
  }

  /** Whether page and API ask for a token. */
  get needsToken(): boolean {
    return this.#settings.token !== undefined || !isLoopback(this.#settings.host);
  }

  /**
   * Throws a `PlantsyncError` if the request names a host that is not ours. That is how a foreign page
   * reaches a server of this machine.
   */
  checkHost(request: FastifyRequest): void {
    if (this.#isOurName(nameOf(request.headers.host))) return;
    throw new PlantsyncError(
      'console.wrong_host',
      'the request names a host that console.hosts does not list',
    );
  }

  /** Throws a `PlantsyncError` if another origin asks for a change. Scripts send no origin. */
  checkOrigin(request: FastifyRequest): void {
    const { origin, host, 'sec-fetch-site': site = 'none' } = request.headers;
    // A browser tells where a request comes from, also where it leaves the origin out.
    if (origin === undefined && OWN_SITES.includes(String(site))) return;
    const given = origin !== undefined && URL.canParse(origin) ? new URL(origin) : undefined;
    if (given !== undefined && (given.host === host || this.#settings.hosts.includes(given.hostname))) return;
    throw new PlantsyncError('console.wrong_origin', 'a page of another origin may change nothing here');
  }

  /** Throws a `PlantsyncError` unless the request may see what the console shows. */
  async checkSignedIn(request: FastifyRequest): Promise<void> {
    if (await this.isSignedIn(request)) return;
    throw new PlantsyncError(
      'console.not_signed_in',
      'sign in on the page, or send the value of console.token as Bearer token',
    );
  }

  /** Tells whether the request may see what the console shows. Throws if an address tries too many tokens. */
  async isSignedIn(request: FastifyRequest): Promise<boolean> {
    if (!this.needsToken) return true;
    const { token } = this.#settings;
    if (token === undefined)
      throw new PlantsyncError(
        'console.needs_token',
        'the console listens to other machines and has no token: set console.token or console.tokenFile',
      );
    if (isSession(request.cookies[SESSION_COOKIE], { token, nowMs: this.#clock() })) return true;
    const [, given] = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
    return given !== undefined && (await this.isToken(given, request.ip));
  }

  /** Compares a token. Throws a `PlantsyncError` while the address has sent too many wrong ones. */
  async isToken(given: string, address: string): Promise<boolean> {
    const tried = await this.#wrong.get(address);
    if (tried !== null && tried.consumedPoints >= MOST_WRONG) throw tooMany();
    const { token } = this.#settings;
    if (token !== undefined && isSame(given, token)) return true;
    await this.#wrong.consume(address).catch(() => undefined);
    return false;
  }

  /** Tells whether a request comes from this machine, and not by way of a proxy or under a foreign name. */
  isFromHere(request: FastifyRequest): boolean {
    const { forwarded, 'x-forwarded-for': forwardedFor, host } = request.headers;
    if (forwarded !== undefined || forwardedFor !== undefined) return false;
    return isLoopback(request.ip) && isLoopback(nameOf(host) ?? '');
  }

  #isOurName(name: string | undefined): boolean {
    const { host, hosts } = this.#settings;
    if (name !== undefined && hosts.includes(name)) return true;
    if (isLoopback(host)) return name !== undefined && isLoopback(name);
    // Others reach it under names and addresses that it does not know. Its token protects it.
    return hosts.length === 0 || isLoopback(name ?? '');
  }
}

function tooMany(): PlantsyncError {
  return new PlantsyncError(
    'console.too_many_tries',
    'too many wrong tokens came from this address: try again in a minute',
    { action: 'retry' },
  );
}
