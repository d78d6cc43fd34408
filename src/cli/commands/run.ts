import { UsageError } from '../../errors.ts';
import type { CommonOptions, Io } from '../io.ts';
import { loadCommandConfig } from '../open/load-command-config.ts';
import { openCommandLog } from '../open/open-command-log.ts';
import { openConfiguredTracing } from '../open/open-configured-tracing.ts';
import { kindsOf } from '../open/session.ts';
import type { Role } from '../roles.ts';
import { runService } from '../service/run-service.ts';

export interface RunOptions extends CommonOptions {
  readonly role: Role;
}

/** Runs `plantsync run`: the service, or one part of it. It returns 0 when it is told to end. */
export async function run(io: Io, options: RunOptions): Promise<number> {
  const { config, layers, redact } = await loadCommandConfig(io, options);
  const { role } = options;
  if (role !== 'all' && config.redis === undefined)
    throw new UsageError(
      'usage.needs_redis',
      `--role ${role} needs redis.url, redis.sentinels or redis.cluster: without Redis, one process does everything`,
    );
  const { log, close: closeLog } = openCommandLog(io, options, { ...config.log, redact });
  const tracing = await openConfiguredTracing(config, { env: io.env, log });
  try {
    const kinds = kindsOf(io);
    await runService({ config, layers, role, kinds, log, redact, tracing, signal: io.signal });
    return 0;
  } finally {
    await tracing.close();
    closeLog();
  }
}
