import { join, resolve } from 'node:path';
import { type LoadedConfig, loadWithOrigins } from '../../../config/load.ts';
import { createConfigRedactor } from '../../../config/redactor.ts';
import { findFreePort } from '../../../free-port.ts';
import { STORE_KINDS } from '../../../load/stores/store-kinds.ts';
import type { Logger } from '../../../log.ts';
import type { Redact } from '../../../redact.ts';
import type { Simulator } from '../../../simulator/simulator-options.ts';
import { startSimulator } from '../../../simulator/start-simulator.ts';
import { steadyMs } from '../../../steady-clock.ts';
import type { SyncContext } from '../../../sync/context.ts';
import { enabledStreams, syncStreams } from '../../../sync/once/sync-streams.ts';
import type { RunSummary } from '../../../sync/run-summary.ts';
import type { Tracing } from '../../../tracing.ts';
import { type CommonOptions, hideSecrets, type Io, print, say } from '../../io.ts';
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
import { columnsOf } from '../../output/terminal-width.ts';
import { cutColumns } from '../../output/text-width.ts';
import { runService } from '../../service/run-service.ts';
import { type DemoFacts, describeData, describeDemo } from './describe-demo.ts';
import { addPump, leaveTrouble } from './leave-trouble.ts';
import { type DemoInflux, startDemoInflux } from './start-influx.ts';
import { DEMO_RUNTIME, writeDemoConfig } from './write-config.ts';

export interface DemoOptions extends CommonOptions {
  readonly once?: boolean;
}

/** The folder of the demo, in the working folder. */
const FOLDER = './.plantsync/demo';
/** The plant is the same at every start, so that the stored data stays true. */
const plant = { seed: 1, size: 'small' } as const;
const ONCE_NOTE = 'start the demo without --once to look at the data';
/** The port of the console, if nothing else listens there. */
const CONSOLE_PORT = 8481;

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
  const { config } = await loadDemoConfig(io, options, { simulator: notYet, influx: undefined, level });
  const redact = createConfigRedactor(config, io.env);
  hideSecrets(io, redact);
  const { log, close } = openCommandLog(io, options, { ...config.log, redact });
  const closers = new Closers(log);
  try {
    return await runDemo(io, options, { log, redact, closers, level });
  } finally {
    await closers.close();
    close();
  }
}

/** The platform before the simulator has started. How the log looks does not depend on it. */
const notYet = { baseUrl: 'http://127.0.0.1', appId: 'demo', secret: '-' };

interface Demo {
  readonly log: Logger;
  readonly redact: Redact;
  readonly closers: Closers;
  readonly level: string;
}

async function runDemo(io: Io, options: DemoOptions, demo: Demo): Promise<number> {
  const { log, closers, level } = demo;
  const simulator = await startSimulator(plant);
  closers.add(() => simulator.close());
  const influx =
    options.config === undefined
      ? await startDemoInflux(join(FOLDER, 'influx'), { env: io.env, log })
      : undefined;
  if (influx !== undefined) closers.add(() => influx.stop());
  const { config, layers } = await loadDemoConfig(io, options, { simulator, influx, level });
  const server = await startOwnServer(config, { log, closers });
  const own = { ...config, postgres: { ...config.postgres, server } };
  const tracing = await openConfiguredTracing(config, { env: io.env, log });
  closers.add(() => tracing.close());
  const file = options.config === undefined ? writeDemoConfig(FOLDER, own) : resolve(options.config);
  const facts = { config: own, server, simulator, file };
  if (options.once) return syncOnce(io, options, { ...demo, tracing, layers, facts });
  await serve(io, options, { ...demo, tracing, layers, facts });
  return 0;
}

interface RunningDemo extends Demo {
  readonly layers: LoadedConfig['layers'];
  readonly tracing: Tracing;
  readonly facts: DemoFacts;
}

/** Runs one full cycle, and tells what it brought. */
async function syncOnce(io: Io, options: DemoOptions, { log, closers, tracing, facts }: RunningDemo) {
  // The object of a demo that went on is there, so that its rows and series do not seem to be gone.
  addPump(facts.simulator);
  const parts = await openConnections(facts.config, { log, closers, tracing, signal: io.signal });
  const summaries = await syncShown(io, options, { ...parts, signal: io.signal });
  print(io, options, {
    json: { streams: summaries },
    lines: () => [...renderSummary(summaries), '', ...describeData(facts), ONCE_NOTE],
  });
  return exitCodeOf(summaries);
}

/**
 * Runs one full cycle that leaves a gap and a reject, and then the service, with its console from the start.
 */
async function serve(io: Io, options: DemoOptions, { log, redact, tracing, layers, facts }: RunningDemo) {
  const { simulator, config } = facts;
  const calm = leaveTrouble(simulator);
  let url: string | undefined;
  let draw: (summary: RunSummary) => void = () => undefined;
  let end = () => {};
  try {
    await runService({
      ...{ config, layers, log, redact, tracing, signal: io.signal, role: 'all', kinds: STORE_KINDS },
      onConsole(address) {
        url = address;
        if (!options.json) say(io, `the console of the demo is at ${address}\n\n`);
      },
      async begin(ctx) {
        const summaries = await syncShown(io, options, ctx);
        calm();
        if (ctx.signal.aborted) return;
        print(io, options, {
          json: { console: url, config: facts.file, streams: summaries },
          lines: () => [
            ...renderSummary(summaries),
            '',
            ...describeDemo(facts, { url, command: commandOf(io) }),
          ],
        });
        ({ draw, end } = drawRuns(io, options));
      },
      onRun: (summary) => draw(summary),
    });
  } finally {
    end();
  }
}

/** Syncs everything, with bars on a terminal. */
async function syncShown(
  io: Io,
  options: DemoOptions,
  ctx: Omit<SyncContext, 'progress'>,
): Promise<RunSummary[]> {
  const terminal = showsBars(io, options) ? io.stderr : undefined;
  const progress = openProgress({ log: ctx.log, terminal, clock: steadyMs });
  try {
    const own = { ...ctx, progress };
    return await syncStreams(own, enabledStreams(own));
  } finally {
    progress.close();
  }
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
async function loadDemoConfig(
  io: Io,
  options: DemoOptions,
  { simulator, influx, level }: Surroundings,
): Promise<LoadedConfig> {
  const { baseUrl, appId, secret } = simulator;
  const given =
    options.config === undefined ? { path: false as const, env: {} } : { path: options.config, env: io.env };
  const overrides = {
    platform: { baseUrl, appId, secret },
    postgres: { dataDir: FOLDER },
    log: { level, ...(options.logFormat && { format: options.logFormat }) },
    ...(options.config === undefined && {
      runtime: DEMO_RUNTIME,
      console: { port: await findFreePort(CONSOLE_PORT) },
    }),
    ...(influx && { influx: { url: influx.url, version: 1, database: 'plantsync' } }),
  };
  return loadWithOrigins({ ...given, overrides });
}

/** How people start commands: the demo of a checkout has no program on the path. */
function commandOf({ env }: Io): string {
  return env.npm_lifecycle_event === 'demo' ? 'npm run --silent dev --' : 'plantsync';
}

/** Draws a line on the terminal that shows the records received by each stream. */
function drawRuns(io: Io, options: DemoOptions): { draw: (summary: RunSummary) => void; end: () => void } {
  if (!showsBars(io, options)) return { draw: () => undefined, end: () => undefined };
  const runs = new Map<string, number>();
  const drawn = drawLines(io.stderr, () => describeRuns(io, runs));
  return {
    draw({ stream, records }) {
      runs.set(stream, (runs.get(stream) ?? 0) + records);
      drawn.draw();
    },
    end: () => drawn.end(),
  };
}

function describeRuns({ stderr }: Io, runs: ReadonlyMap<string, number>): string[] {
  if (runs.size === 0) return [];
  const counts = [...runs].map(([name, count]) => `${name} ${formatNumber(count)}`).join(', ');
  const columns = columnsOf(stderr) - 1;
  return [cutColumns(`(Ctrl-C ends the demo) received since: ${counts}`, columns, '…')];
}
