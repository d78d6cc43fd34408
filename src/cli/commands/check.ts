import { silentLog } from '../../log.ts';
import { createMemoryTokenStore } from '../../platform/token/token-store.ts';
import { checksOfNotify } from '../checks/check-notify.ts';
import { checksOfPlatform, checksOfRedis } from '../checks/check-platform.ts';
import { readsOf } from '../checks/check-reads.ts';
import { openCheckScreen } from '../checks/check-screen.ts';
import { checksOfStores, quiet } from '../checks/check-stores.ts';
import { lookAtAll } from '../checks/look-at-all.ts';
import { type CommonOptions, type Io, print } from '../io.ts';
import { openConfiguredPlatform, openConfiguredRedis } from '../open/connect-platform.ts';
import { withSession } from '../open/session.ts';

/** Runs `plantsync check`: checks everything that plantsync needs, and changes nothing on the platform. */
export async function check(io: Io, options: CommonOptions & { notify?: boolean }): Promise<number> {
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
      ...checksOfNotify(session, { sends: options.notify ?? false }),
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
