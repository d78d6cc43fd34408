import type { Config } from '../../config/config-schema.ts';
import type { StoreKinds } from '../../load/stores/store-kind.ts';
import { STORE_KINDS } from '../../load/stores/store-kinds.ts';
import type { Logger } from '../../log.ts';
import type { Redact } from '../../redact.ts';
import { steadyMs } from '../../steady-clock.ts';
import type { SyncContext } from '../../sync/context.ts';
import { type CommonOptions, type Io, say } from '../io.ts';
import { type OpenProgress, openProgress } from '../output/progress.ts';
import { tellWait } from '../output/tell-wait.ts';
import { Closers } from './closers.ts';
import { loadCommandConfig } from './load-command-config.ts';
import { openCommandLog } from './open-command-log.ts';
import { openConfiguredTracing } from './open-configured-tracing.ts';
import {
  type OpenConnections,
  type OpenDatabase,
  openConnections,
  openDatabase,
} from './open-connections.ts';

/**
 * The configuration, the kinds of stores, the log and a list of what is open, for commands that open only a
 * part.
 */
export interface Session {
  readonly config: Config;
  readonly kinds: StoreKinds;
  /** Removes secrets from a text. */
  readonly redact: Redact;
  readonly log: Logger;
  readonly closers: Closers;
}

/** Returns the kinds of stores that a command may open. */
export function kindsOf({ storeKinds = STORE_KINDS }: Io): StoreKinds {
  return storeKinds;
}

/** Runs `work` with the configuration and a log. Closes everything that the work opened. */
export async function withSession<T>(
  io: Io,
  options: CommonOptions,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const { config, redact } = await loadCommandConfig(io, options);
  const kinds = kindsOf(io);
  const level = logLevelOf(io, options, config);
  const { log, close } = openCommandLog(io, options, { ...config.log, level, redact });
  const closers = new Closers(log);
  try {
    return await work({ config, kinds, redact, log, closers });
  } finally {
    await closers.close();
    close();
  }
}

/** Opens the database alone, and tells what the command waits for if that takes long. */
export function openSessionDatabase(io: Io, session: Session): Promise<OpenDatabase> {
  return tellWait({ io, log: session.log }, 'opening the database', () =>
    openDatabase(session.config, session),
  );
}

/** A context whose progress can be ended before the result is printed. */
export type CommandContext = SyncContext & OpenConnections & { readonly progress: OpenProgress };

/** Runs `work` with everything open and progress shown. Closes everything afterwards. */
export async function withContext<T>(
  io: Io,
  options: CommonOptions,
  work: (context: CommandContext) => Promise<T>,
): Promise<T> {
  return withSession(io, options, async (session) => work(await openContext(io, options, session)));
}

/** Runs `work` as `withContext` does, for a command that only reads: it makes nothing in any store. */
export async function withReadContext<T>(
  io: Io,
  options: CommonOptions,
  work: (context: CommandContext) => Promise<T>,
): Promise<T> {
  return withSession(io, options, async (session) =>
    work(await openContext(io, options, { ...session, readsOnly: true })),
  );
}

/** How a command that only reads is opened. */
interface ReadingHow {
  readonly readsOnly?: boolean | undefined;
  /** Tells whether a kind of store is known to be away, so that nobody waits for it. */
  readonly isAway?: ((kind: string) => boolean) | undefined;
}

/**
 * Opens everything that a command needs. The session closes it. With `readsOnly` nothing is made in any
 * store.
 */
export async function openContext(
  io: Io,
  options: CommonOptions,
  session: Session & ReadingHow,
): Promise<CommandContext> {
  const { readsOnly, isAway } = session;
  const reader = readsOnly ? { tell: (sentence: string) => say(io, `${sentence}\n`), isAway } : undefined;
  const tracing = await openConfiguredTracing(session.config, { env: io.env, log: session.log });
  session.closers.add(() => tracing.close());
  const connections = await tellWait({ io, log: session.log }, 'opening the database and the stores', () =>
    openConnections(session.config, { ...session, signal: io.signal, reader, tracing }),
  );
  const terminal = showsBars(io, options) ? io.stderr : undefined;
  const progress = openProgress({ log: session.log, terminal, clock: steadyMs });
  session.closers.add(() => progress.close());
  return { ...connections, progress, signal: io.signal };
}

export function showsBars(io: Io, options: CommonOptions): boolean {
  return io.stderr.isTTY === true && !options.json;
}

/** Next to progress bars, only warnings and errors are logged, unless a level was given. */
function logLevelOf(io: Io, options: CommonOptions, config: Config): Config['log']['level'] {
  return showsBars(io, options) && options.logLevel === undefined && config.log.level === 'info'
    ? 'warn'
    : config.log.level;
}
