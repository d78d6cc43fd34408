import type { CallOptions, StoredToken } from '../platform.ts';
import type { PlatformOptions } from '../platform-options.ts';
import { buildRequest, type RawInput } from '../request.ts';
import type { Caller } from '../transport/caller.ts';
import type { TokenSource } from './token-keeper.ts';
import { decodeToken } from './token-reply.ts';

/** A refresh is tried only twice, since a new grant with all its tries follows. */
const REFRESH_RETRIES = 1;

/** Opens the token operations of client mode, with a count of the tokens that they gave. */
export function openTokenSource(
  options: PlatformOptions,
  caller: Caller,
): TokenSource & { issued(): number } {
  let issued = 0;
  async function ask(
    id: 'getClientAccessToken' | 'refreshClientToken',
    input: RawInput,
    callOptions: CallOptions,
  ): Promise<StoredToken> {
    const token = await caller.run({
      request: buildRequest(options, id, input),
      decode: (body, { sentMs }) =>
        decodeToken(body, { requestedAtMs: sentMs, unit: options.dialect.expiresIn }),
      options: callOptions,
    });
    issued += 1;
    return token;
  }
  return {
    grant: () => ask('getClientAccessToken', {}, {}),
    refresh: (refreshToken) =>
      ask(
        'refreshClientToken',
        { query: { refreshToken } },
        { retries: Math.min(REFRESH_RETRIES, options.retries) },
      ),
    issued: () => issued,
  };
}
