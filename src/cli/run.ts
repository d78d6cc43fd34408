import { listJobs } from '../../jobs/index.ts';
import { openLog } from '../log.ts';
import { openInline } from '../queue/inline.ts';
import { Closers } from './closers.ts';
import type { CommonOptions, Io } from './io.ts';
import { openParts } from './open.ts';
import { openProgress } from './progress.ts';
import { engineOptions, openPatiently } from './service.ts';
import { loadCommandConfig } from './session.ts';

/** `plantsync run`: the service. It starts also while the database or the platform is down, and ends with 0 when told to. */
export async function run(io: Io, options: CommonOptions): Promise<number> {
  const config = await loadCommandConfig(io, options);
  const log = openLog(config.log.level);
  const closers = new Closers(log);
  const { signal } = io;
  const open = async () => {
    try {
      return await openParts(config, { log, closers, signal });
    } catch (error) {
      await closers.close();
      throw error;
    }
  };
  try {
    const parts = await openPatiently(open, { log, signal });
    if (parts === undefined) return 0;
    const jobs = listJobs(config);
    log.info({ jobs: jobs.map(({ name }) => name), platform: config.platform.baseUrl }, 'the service runs');
    const progress = openProgress({ log, terminal: undefined, clock: Date.now });
    closers.add(() => progress.close());
    await openInline(engineOptions({ ...parts, progress, signal }, { jobs })).run();
    log.info('the service has ended');
    return 0;
  } finally {
    await closers.close();
  }
}
