import type { Config } from '../../../config/config-schema.ts';
import { messageOf, PlantsyncError, PlatformError, StoreError } from '../../../errors.ts';
import { silentLog } from '../../../log.ts';
import type { Platform } from '../../../platform/platform.ts';
import { createMemoryTokenStore } from '../../../platform/token/token-store.ts';
import type { RedisConnections } from '../../../queue/redis/redis-connections.ts';
import { type CommonOptions, type Io, print } from '../../io.ts';
import { openConfiguredPlatform, openConfiguredRedis } from '../../open/connect-platform.ts';
import { withSession } from '../../open/session.ts';
import { type Check, readsOf } from './check-reads.ts';
import { type CheckResult, type CheckScreen, openCheckScreen } from './check-screen.ts';
import { checksOfStores, quiet } from './check-stores.ts';

const GREATEST_SKEW_MS = 60_000;

/** Runs `plantsync check`: checks everything that plantsync needs, and changes nothing on the platform. */
export async function check(io: Io, options: CommonOptions): Promise<number> {
  return withSession(io, options, async (session) => {
    const { config, closers } = session;
    const log = quiet(session.log);
    // The table shows the problems of Redis, so they are not logged.
    const redis = await openConfiguredRedis(config, { log: silentLog, closers });
    const tokens = createMemoryTokenStore();
    const platform = await openConfiguredPlatform(config, { log, closers, tokens, redis });
    const checks = [
      ...checksOfPlatform(config, platform),
      ...checksOfStores(session),
      ...checksOfRedis(redis),
      ...readsOf(config, platform),
    ];
    const results = await lookAtAll(checks, {
      signal: io.signal,
      screen: openCheckScreen(io, options, checks),
    });
    const ok = results.every((result) => result.ok);
    if (options.json) print(io, options, { json: { ok, checks: results }, lines: () => [] });
    return ok ? 0 : 1;
  });
}

/** Does all checks, one after the other, and shows each of them. */
export async function lookAtAll(
  checks: readonly Check[],
  { signal, screen }: { signal: AbortSignal; screen: CheckScreen },
): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  let noToken = false;
  for (const check of checks) {
    signal.throwIfAborted();
    const missing: string | undefined =
      noToken && check.needsToken ? 'no token' : findMissing(results, check.needs);
    const end = screen.begin(check.what);
    try {
      const { error, ...result }: Looked =
        missing === undefined ? await lookOnce(check) : skip(check, missing);
      noToken ||= error instanceof PlatformError && meansNoToken(error);
      results.push(result);
      end(result);
    } finally {
      end();
    }
  }
  return results;
}

type Looked = CheckResult & { readonly error?: PlantsyncError };

function skip({ what }: Check, missing: string): Looked {
  return { what, ok: false, skipped: true, detail: missing };
}

async function lookOnce({ what, remedy, look }: Check): Promise<Looked> {
  try {
    return { what, ok: true, detail: await look() };
  } catch (error) {
    // Any other error is a fault of the program.
    if (!(error instanceof PlantsyncError)) throw error;
    const unsaid = remedy !== undefined && !saysWhatToDo(error);
    const detail = messageOf(error).replace(/\n\s*-?\s*/g, ' ');
    return { what, ok: false, code: error.code, detail, ...(unsaid && { remedy }), error };
  }
}

/** Finds the failed check that this one needs: the same cause is reported once. */
function findMissing(results: readonly CheckResult[], needs: string | undefined): string | undefined {
  const failed = results.some(({ what, ok }) => what === needs && !ok);
  return failed ? `needs ${needs}` : undefined;
}

function meansNoToken({ unreachable, operation }: PlatformError): boolean {
  return unreachable || operation === 'getClientAccessToken';
}

/** Tells whether an error names its remedy. Errors of stores, logins, addresses and connections do. */
function saysWhatToDo(error: PlantsyncError): boolean {
  if (!(error instanceof PlatformError)) return error instanceof StoreError;
  return meansNoToken(error) || error.kind === 'auth' || error.kind === 'too_large' || error.status === 404;
}

/** Lists the checks of the platform itself: health, token and clock. */
export function checksOfPlatform(config: Config, platform: Platform): Check[] {
  const { baseUrl } = config.platform;
  return [
    {
      what: 'platform and token',
      remedy: 'look at the platform itself: it answers, but with an error',
      needsToken: true,
      look: async () => {
        await platform.call('getHealth', {}, { retries: 1, deadlineMs: 15_000 });
        return `${new URL(baseUrl).host} is healthy and gave a token`;
      },
    },
    {
      what: 'clock',
      remedy: 'set the clocks of both machines by NTP: points with times in the future are read late',
      needsToken: true,
      look: async () => describeSkew(platform.clockSkewMs()),
    },
  ];
}

function describeSkew(skewMs: number | undefined): string {
  if (skewMs === undefined)
    throw new PlantsyncError('platform.clock_unknown', 'the platform has not told its time');
  const text = `the platform's clock is ${Math.abs(skewMs / 1000).toFixed(1)} s ${skewMs < 0 ? 'behind' : 'ahead of'} ours`;
  if (Math.abs(skewMs) > GREATEST_SKEW_MS) throw new PlantsyncError('platform.clock_skew', text);
  return text;
}

/** Lists the check of Redis, if it is configured. */
export function checksOfRedis(redis: RedisConnections | undefined): Check[] {
  if (redis === undefined) return [];
  const look = async (): Promise<string> => {
    const { version, policy, warning } = await redis.connect();
    if (warning !== undefined) throw new StoreError('redis.noeviction', warning, { action: 'stop' });
    return `version ${version} at ${redis.address}, maxmemory-policy ${policy}`;
  };
  return [{ what: 'Redis', look }];
}
