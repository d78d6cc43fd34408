import { randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import { parameterError, RefusedCall } from './refused-call.ts';
import type { SimulatorDialect } from './simulator-dialect.ts';

export type GrantMode = 'client' | 'code';

/** The application that may ask for tokens. */
export interface Application {
  readonly appId: string;
  readonly secret: string;
}

interface Grant {
  readonly mode: GrantMode;
  readonly username: string;
  readonly expiresAtMs: number;
}

/** Settings of tokens. They are read at each use, since they can change while the simulator runs. */
export interface TokenSettings {
  readonly application: Application;
  readonly nowMs: () => number;
  readonly lifetimeSec: () => number;
  readonly dialect: () => SimulatorDialect;
}

/** The user of a grant in code mode. */
const CODE_USER = 'user1';
const CLIENT_USER = 'admin0';

/** Issues access tokens, refresh tokens and authorization codes, and knows which are valid. */
export class Tokens {
  readonly #settings: TokenSettings;
  readonly #key = new TextEncoder().encode(randomUUID());
  readonly #access = new Map<string, Grant>();
  readonly #refresh = new Map<string, GrantMode>();
  readonly #codes = new Set<string>();
  #lastCode: string | undefined;
  #issued = 0;

  constructor(settings: TokenSettings) {
    this.#settings = settings;
  }

  /** Throws unless the application is known and its secret is right. */
  checkApplication(appId: string, secret: string): void {
    const { application } = this.#settings;
    if (appId !== application.appId || secret !== application.secret)
      throw new RefusedCall(400, '800001', 'appid or secret is wrong');
  }

  /** Throws unless the application is known. */
  checkAppId(appId: string): void {
    if (appId !== this.#settings.application.appId) throw new RefusedCall(400, '800001', 'appid is unknown');
  }

  /** Returns a new authorization code, which can be exchanged once. */
  authorize(): string {
    const code = `code-${randomUUID()}`;
    this.#codes.add(code);
    this.#lastCode = code;
    return code;
  }

  /** Returns the code that was issued last. The user's browser would have brought it to the application. */
  lastCode(): string | undefined {
    return this.#lastCode;
  }

  /** Exchanges an authorization code. Throws a `RefusedCall` if the code is invalid. */
  redeem(code: string): void {
    if (!this.#codes.delete(code)) throw new RefusedCall(400, '800001', 'authorization code is invalid');
  }

  /** Issues tokens. The reply has the form of the dialect. */
  async grant(mode: GrantMode): Promise<object> {
    const dialect = this.#settings.dialect();
    const lifetimeSec = this.#settings.lifetimeSec();
    if (dialect.grantEndsOldTokens) this.#access.clear();
    this.#issued += 1;
    const username = mode === 'client' ? CLIENT_USER : CODE_USER;
    const accessToken = await this.#accessToken(username, lifetimeSec);
    const expiresAtMs = this.#settings.nowMs() + lifetimeSec * 1000;
    this.#access.set(accessToken, { mode, username, expiresAtMs });
    const refreshToken = `RT-${this.#issued}-${randomUUID()}`;
    if (dialect.refreshTokens) this.#refresh.set(refreshToken, mode);
    const lifetime = dialect.expiresInUnit === 'ms' ? lifetimeSec * 1000 : lifetimeSec;
    return {
      accessToken,
      expiresIn: dialect.expiresInAs === 'string' ? String(lifetime) : lifetime,
      ...(dialect.refreshTokens ? { refreshToken } : {}),
      ...(dialect.extraTokenMembers ? { tokenType: 'Bearer', scope: null } : {}),
    };
  }

  /** Issues new tokens for a refresh token of the same mode. */
  refresh(mode: GrantMode, refreshToken: string): Promise<object> {
    if (this.#refresh.get(refreshToken) !== mode)
      throw new RefusedCall(400, '800001', 'refreshToken is invalid');
    if (this.#settings.dialect().refreshOnce) this.#refresh.delete(refreshToken);
    return this.grant(mode);
  }

  /** Returns the user of an access token. Throws a `RefusedCall` if the token is invalid. */
  usernameOf(accessToken: string): string {
    const grant = this.#validGrant(accessToken);
    if (!grant) throw parameterError('access token is invalid');
    return grant.username;
  }

  isValid(accessToken: string): boolean {
    return this.#validGrant(accessToken) !== undefined;
  }

  /** Makes all access tokens invalid, and the refresh tokens too if that is asked for. */
  revoke(refreshTokens = false): void {
    this.#access.clear();
    if (refreshTokens) this.#refresh.clear();
  }

  #validGrant(accessToken: string): Grant | undefined {
    const grant = this.#access.get(accessToken);
    if (grant && grant.expiresAtMs > this.#settings.nowMs()) return grant;
    this.#access.delete(accessToken);
    return undefined;
  }

  #accessToken(username: string, lifetimeSec: number): Promise<string> {
    if (this.#settings.dialect().tokenForm === 'opaque')
      return Promise.resolve(`AT-${this.#issued}-${randomUUID()}`);
    const issuedSec = Math.floor(this.#settings.nowMs() / 1000);
    return new SignJWT({ username })
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .setJti(String(this.#issued))
      .setIssuedAt(issuedSec)
      .setExpirationTime(issuedSec + Math.ceil(lifetimeSec))
      .sign(this.#key);
  }
}
