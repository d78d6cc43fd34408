import type { Config } from '../../../config/config-schema.ts';
import {
  type ErrorCode,
  messageOf,
  PlantsyncError,
  PlatformError,
  StoreError,
  withCode,
} from '../../../errors.ts';
import { silentLog } from '../../../log.ts';
import type { Platform } from '../../../platform/platform.ts';
import { createMemoryTokenStore } from '../../../platform/token/token-store.ts';
import type { RedisConnections } from '../../../queue/redis/redis-connections.ts';
import { type CommonOptions, type Io, print } from '../../io.ts';
import { openConfiguredPlatform, openConfiguredRedis } from '../../open/connect-platform.ts';
import { withSession } from '../../open/session.ts';
import { type Line, makeTable } from '../../output/table.ts';
import { type Check, readsOf } from './check-reads.ts';
import { checksOfStores, quiet } from './check-stores.ts';

/** The result of one check. `remedy` says what to do if the check failed. */
export interface CheckResult {
  readonly what: string;
  readonly ok: boolean;
  /** Whether the check was left out because of an earlier failure. */
  readonly skipped?: boolean;
  readonly detail: string;
  /** The code of the error. Undefined if the check succeeded. */
  readonly code?: ErrorCode;
  readonly remedy?: string;
}

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
    const results = await lookAtAll(checks, io.signal);
    const ok = results.every((result) => result.ok);
    print(io, options, { json: { ok, checks: results }, lines: () => renderChecks(results) });
    return ok ? 0 : 1;
  });
}

async function lookAtAll(checks: readonly Check[], signal: AbortSignal): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  let noToken = false;
  for (const { what, remedy, needsToken, needs, look } of checks) {
    signal.throwIfAborted();
    const missing = noToken && needsToken ? 'no token' : findMissing(results, needs);
    if (missing !== undefined) {
      results.push({ what, ok: false, skipped: true, detail: missing });
      continue;
    }
    try {
      results.push({ what, ok: true, detail: await look() });
    } catch (error) {
      // Any other error is a fault of the program.
      if (!(error instanceof PlantsyncError)) throw error;
      noToken ||= error instanceof PlatformError && meansNoToken(error);
      const unsaid = remedy !== undefined && !saysWhatToDo(error);
      const detail = messageOf(error).replace(/\n\s*-?\s*/g, ' ');
      results.push({ what, ok: false, code: error.code, detail, ...(unsaid && { remedy }) });
    }
  }
  return results;
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

function checksOfPlatform(config: Config, platform: Platform): Check[] {
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

function checksOfRedis(redis: RedisConnections | undefined): Check[] {
  if (redis === undefined) return [];
  const look = async (): Promise<string> => {
    const { version, policy, warning } = await redis.connect();
    if (warning !== undefined) throw new StoreError('redis.noeviction', warning, { action: 'stop' });
    return `version ${version} at ${redis.address}, maxmemory-policy ${policy}`;
  };
  return [{ what: 'Redis', look }];
}

function renderChecks(results: readonly CheckResult[]): Line[] {
  const rows = results.map((result) => [
    result.ok ? 'ok' : result.skipped ? 'skipped' : 'FAILED',
    result.what,
    describeResult(result),
  ]);
  return [makeTable(['', { title: 'what', wrap: 16 }, { title: 'found', wrap: 20 }], rows)];
}

function describeResult({ detail, remedy, code }: CheckResult): string {
  const sentence = remedy === undefined ? detail : `${detail.replace(/\.$/, '')}; ${remedy}`;
  return code === undefined ? sentence : withCode(code, sentence);
}
