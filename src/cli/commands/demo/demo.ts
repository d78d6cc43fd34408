import { join } from 'node:path';
import { listJobs } from '../../../../jobs/index.ts';
import type { Config } from '../../../config/config-schema.ts';
import { loadConfig } from '../../../config/load.ts';
import { createConfigRedactor } from '../../../config/redactor.ts';
import type { Logger } from '../../../log.ts';
import { openInline } from '../../../queue/open-inline.ts';
import type { Simulator } from '../../../simulator/simulator-options.ts';
import { startSimulator } from '../../../simulator/start-simulator.ts';
import { steadyMs } from '../../../steady-clock.ts';
import type { SyncContext } from '../../../sync/context.ts';
import { fillHistory } from '../../../sync/history/fill-history.ts';
import { enabledStreams, syncStreams } from '../../../sync/once/sync-streams.ts';
import type { RunSummary } from '../../../sync/run-summary.ts';
import { type CommonOptions, hideSecrets, type Io, print } from '../../io.ts';
import { Closers } from '../../open/closers.ts';
import { openCommandLog } from '../../open/open-command-log.ts';
import { openConfiguredTracing } from '../../open/open-configured-tracing.ts';
import { openConnections, startOwnServer } from '../../open/open-connections.ts';
import { showsBars } from '../../open/session.ts';
import { exitCodeOf } from '../../output/exit-code.ts';
import { drawLines } from '../../output/live-lines.ts';
import { openProgress } from '../../output/progress.ts';
import { renderSummary } from '../../output/summary-table.ts';
import { formatNumber } from '../../output/table.ts';
import { cutColumns } from '../../output/text-width.ts';
import { engineOptions } from '../../service/engine-jobs.ts';
import { runWithTriggers } from '../../service/serve-triggers.ts';
import { describeDemo } from './describe-demo.ts';
import { type DemoInflux, startDemoInflux } from './start-influx.ts';

export interface DemoOptions extends CommonOptions {
  readonly once?: boolean;
}

/** The folder of the demo, in the working folder. */
const FOLDER = './.plantsync/demo';
/** The plant is the same at every start, so that the stored data stays true. */
const plant = { seed: 1, size: 'small' } as const;
const ONCE_NOTE = 'to look at the data, start the demo without --once:';
const HISTORY_START = '3h';
/** The width if the terminal does not tell it. */
const DEFAULT_COLUMNS = 80;

/**
 * Runs `plantsync demo`: a simulated platform, an embedded PostgreSQL, and InfluxDB if one is installed. It
 * runs one full cycle, and then the service until it is interrupted.
 *
 * The demo reads neither ./plantsync.yaml nor the environment, so that simulated data cannot get into a real
 * database by mistake. From a file given by `--config` it takes everything except platform and Postgres.
 */
export async function demo(io: Io, options: DemoOptions): Promise<number> {
  const bars = showsBars(io, options);
  const level = options.logLevel ?? (bars ? 'warn' : 'info');
  const config = await loadDemoConfig(io, options, { simulator: notYet, influx: undefined, level });
  const redact = createConfigRedactor(config, io.env);
  hideSecrets(io, redact);
  const { log, close } = openCommandLog(io, options, { ...config.log, redact });
  const closers = new Closers(log);
  try {
    return await runDemo(io, options, { log, closers, level });
  } finally {
    await closers.close();
    close();
  }
}

/** The platform before the simulator has started. How the log looks does not depend on it. */
const notYet = { baseUrl: 'http://127.0.0.1', appId: 'demo', secret: '-' };

interface Demo {
  readonly log: Logger;
  readonly closers: Closers;
  readonly level: string;
}

async function runDemo(io: Io, options: DemoOptions, { log, closers, level }: Demo): Promise<number> {
  const simulator = await startSimulator(plant);
  closers.add(() => simulator.close());
  const influx =
    options.config === undefined
      ? await startDemoInflux(join(FOLDER, 'influx'), { env: io.env, log })
      : undefined;
  if (influx !== undefined) closers.add(() => influx.stop());
  const config = await loadDemoConfig(io, options, { simulator, influx, level });
  const server = await startOwnServer(config, { log, closers });
  const own = { ...config, postgres: { ...config.postgres, server } };
  const tracing = await openConfiguredTracing(config, { env: io.env, log });
  closers.add(() => tracing.close());
  const parts = await openConnections(own, { log, closers, tracing, signal: io.signal });
  const progress = openProgress({
    log,
    terminal: showsBars(io, options) ? io.stderr : undefined,
    clock: steadyMs,
  });
  closers.add(() => progress.close());
  const ctx = { ...parts, progress, signal: io.signal };
  const summaries = await syncStreams(ctx, enabledStreams(ctx));
  progress.close();
  const look = describeDemo({ config, server, simulator });
  print(io, options, {
    json: { streams: summaries, look },
    lines: () => [...renderSummary(summaries), '', options.once ? ONCE_NOTE : 'look at the data:', ...look],
  });
  if (options.once) return exitCodeOf(summaries);
  await goOn(io, options, ctx);
  return 0;
}

interface Surroundings {
  readonly simulator: Pick<Simulator, 'baseUrl' | 'appId' | 'secret'>;
  readonly influx: DemoInflux | undefined;
  readonly level: string;
}

/**
 * Loads the configuration: that of `--config` or the defaults, with the simulator as platform and a Postgres
 * of the demo.
 */
function loadDemoConfig(
  io: Io,
  options: DemoOptions,
  { simulator, influx, level }: Surroundings,
): Promise<Config> {
  const { baseUrl, appId, secret } = simulator;
  const given =
    options.config === undefined ? { path: false as const, env: {} } : { path: options.config, env: io.env };
  const overrides = {
    platform: { baseUrl, appId, secret },
    postgres: { dataDir: FOLDER },
    log: { level, ...(options.logFormat && { format: options.logFormat }) },
    ...(options.config === undefined && { runtime: [{ history: { start: HISTORY_START, every: '10s' } }] }),
    ...(influx && { influx: { url: influx.url, version: 1, database: 'plantsync' } }),
  };
  return loadConfig({ ...given, overrides });
}

/** Runs the service, with a line on the terminal that shows the received records. */
async function goOn(io: Io, options: DemoOptions, ctx: SyncContext): Promise<void> {
  const runs = new Map<string, number>();
  const drawn = showsBars(io, options) ? drawLines(io.stderr, () => describeRuns(io, runs)) : undefined;
  const onRun = ({ stream, records }: RunSummary) => {
    runs.set(stream, (runs.get(stream) ?? 0) + records);
    drawn?.draw();
  };
  const progress = openProgress({ log: ctx.log, terminal: undefined, clock: steadyMs });
  try {
    const jobs = listJobs(ctx.config);
    const engine = openInline(engineOptions({ ...ctx, progress }, { jobs, onRun }));
    await runWithTriggers(ctx, engine, { jobs, fill: fillHistory });
  } finally {
    progress.close();
    drawn?.end();
  }
}

function describeRuns({ stderr }: Io, runs: ReadonlyMap<string, number>): string[] {
  if (runs.size === 0) return [];
  const counts = [...runs].map(([name, count]) => `${name} ${formatNumber(count)}`).join(', ');
  const columns = (stderr.columns || DEFAULT_COLUMNS) - 1;
  return [cutColumns(`(Ctrl-C ends the demo) received since: ${counts}`, columns, '…')];
}
