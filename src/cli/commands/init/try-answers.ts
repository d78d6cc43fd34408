import type { Config } from '../../../config/config-schema.ts';
import { loadConfig } from '../../../config/load.ts';
import { createConfigRedactor } from '../../../config/redactor.ts';
import type { Tree } from '../../../config/tree.ts';
import { messageOf, UsageError } from '../../../errors.ts';
import { STORE_KINDS } from '../../../load/stores/store-kinds.ts';
import { silentLog } from '../../../log.ts';
import { createMemoryTokenStore } from '../../../platform/token/token-store.ts';
import type { Check } from '../../checks/check.ts';
import { checksOfPlatform, checksOfRedis } from '../../checks/check-platform.ts';
import { openCheckScreen } from '../../checks/check-screen.ts';
import { checksOfStores } from '../../checks/check-stores.ts';
import { lookAtAll } from '../../checks/look-at-all.ts';
import { type Io, say } from '../../io.ts';
import { Closers } from '../../open/closers.ts';
import { openConfiguredPlatform, openConfiguredRedis } from '../../open/connect-platform.ts';
import type { Session } from '../../open/session.ts';
import type { Answers } from './ask.ts';

/** A secret that only makes the configuration whole, where nobody logs in to the platform. */
const UNKNOWN = 'unknown';

/** Lists the checks that show whether the answers of a section are right. */
export type ListChecks = (session: Session) => Promise<Check[]> | Check[];

export const checkPlatform: ListChecks = async ({ config, log, closers }) => {
  if (config.platform.secret === UNKNOWN) return [];
  const redis = undefined;
  const platform = await openConfiguredPlatform(config, {
    log,
    closers,
    tokens: createMemoryTokenStore(),
    redis,
  });
  return checksOfPlatform(config, platform);
};

export const checkPostgres: ListChecks = (session) =>
  session.config.postgres.server === undefined ? [] : checksOfStores(session).slice(0, 1);

export const checkInflux: ListChecks = (session) => checksOfStores(session).slice(1);

export const checkRedis: ListChecks = async ({ config, log, closers }) =>
  checksOfRedis(await openConfiguredRedis(config, { log, closers }));

/**
 * Tries answers: whether they make a configuration, and whether the checks succeed with it. Says what fails.
 */
export async function tryAnswers(io: Io, answers: Answers, listChecks: ListChecks): Promise<boolean> {
  const closers = new Closers(silentLog);
  try {
    const config = await loadAnswers(io, answers);
    const kinds = io.storeKinds ?? STORE_KINDS;
    const redact = createConfigRedactor(config, io.env);
    const checks = await listChecks({ config, kinds, redact, log: silentLog, closers });
    const screen = openCheckScreen(io, {}, checks);
    const results = await lookAtAll(checks, { signal: io.signal, screen });
    return results.every(({ ok }) => ok);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    say(io, `${messageOf(error)}\n`);
    return false;
  } finally {
    await closers.close();
  }
}

function loadAnswers(io: Io, answers: Answers): Promise<Config> {
  const tree: Record<string, Record<string, unknown>> = {};
  for (const [option, answer] of Object.entries(answers)) {
    const [section = '', ...path] = option.split('.');
    if (answer === '') continue;
    const value = path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), answer) as Tree;
    tree[section] = { ...tree[section], ...value };
  }
  const { runtime, ...sections } = tree;
  const platform = { secret: io.env.PLATFORM_SECRET || UNKNOWN, ...tree.platform };
  const overrides = { ...sections, platform, ...(runtime && { runtime: [runtime] }) } as Tree;
  return loadConfig({ path: false, env: {}, overrides });
}
