import type { AskedPlatform } from '../../../console/platform-look.ts';
import { watchDependencies } from '../../../console/watch-dependencies.ts';
import { PlantsyncError, PlatformError, reasonOf } from '../../../errors.ts';
import type { Platform } from '../../../platform/platform.ts';
import { sleepOrWake } from '../../../sleep.ts';
import { OverviewLedger, readOverview } from '../../../sync/status/overview.ts';
import type { Overview, Reason } from '../../../sync/status/overview-types.ts';
import { readStatus, type Status } from '../../../sync/status/read-status.ts';
import type { CommonOptions, Io } from '../../io.ts';
import { openTokenlessPlatform } from '../../open/connect-platform.ts';
import { type CommandContext, openContext, type Session } from '../../open/session.ts';

/** What one look has found. */
export interface StatusLook {
  readonly overview: Overview;
  /** Undefined while the ledger cannot be read. */
  readonly status: Status | undefined;
  readonly ctx: CommandContext | undefined;
}

/** Looks again and again at everything. A look does not fail while something is away, and does not hang. */
export interface StatusView {
  look(): Promise<StatusLook>;
}

/** The time between two looks whether Postgres still answers what it was asked. */
const GUARD_MS = 500;

interface Opened {
  readonly ctx: CommandContext;
  readonly ledger: OverviewLedger;
}

/** Opens the view. The session closes it. */
export async function openStatusView(io: Io, options: CommonOptions, session: Session): Promise<StatusView> {
  const { config, kinds, closers, log, redact } = session;
  const watch = await watchDependencies(config, { kinds, log, redact, clock: Date.now, sleep: sleepOrWake });
  closers.add(() => watch.leave());
  // Nobody has told this process yet whether the disk of Postgres is full.
  watch.room.doubt();
  const { health } = watch;
  const tokenless = openTokenlessPlatform(config, { log, closers });
  let opened: Opened | undefined;
  let isPlatformWatched = false;
  const open = async (): Promise<Reason | undefined> => {
    const { postgres } = health.report().dependencies;
    if (opened !== undefined || (postgres?.state === 'down' && !isReadable(postgres.code))) return undefined;
    try {
      const isAway = (store: string) => health.report().dependencies[store]?.state === 'down';
      const ctx = await openContext(io, options, { ...session, readsOnly: true, isAway });
      opened = {
        ctx,
        ledger: new OverviewLedger(ctx),
      };
      watch.watchEmbedded(ctx.db);
      return undefined;
    } catch (error) {
      if (!(error instanceof PlantsyncError)) throw error;
      return reasonOf(error);
    }
  };
  const platform: AskedPlatform = {
    call: (...asked) =>
      opened === undefined ? askWithoutToken(tokenless, asked) : opened.ctx.platform.call(...asked),
    stats: () => (opened?.ctx.platform ?? tokenless).stats(),
    token: () => opened?.ctx.platform.token() ?? { validUntilMs: undefined, refusal: undefined },
  };
  return {
    async look() {
      await health.settle();
      const unread = await open();
      if (!isPlatformWatched) watch.watchPlatform(platform);
      isPlatformWatched = true;
      const [status] = await Promise.all([opened && readGuarded(opened, health), health.settle()]);
      const failed = status !== undefined && 'reason' in status ? status : unread;
      const overview = await readOverview({
        ledger: failed === undefined ? opened?.ledger : undefined,
        unread: failed,
        kinds,
        looks: {
          reports: health.report().dependencies,
          teller: 'this look',
          tokenUntilMs: platform.token().validUntilMs,
        },
        nowMs: Date.now(),
      });
      const isRead = status !== undefined && !('reason' in status) && overview.unread === undefined;
      return { overview, status: isRead ? status : undefined, ctx: opened?.ctx };
    },
  };
}

/** Asks without a token. A platform that refuses that has answered. */
async function askWithoutToken(
  platform: Pick<Platform, 'call'>,
  asked: Parameters<AskedPlatform['call']>,
): Promise<unknown> {
  try {
    return await platform.call(...asked);
  } catch (error) {
    if (error instanceof PlatformError && error.kind === 'auth') return undefined;
    throw error;
  }
}

/** A server with a full disk, or a replica, answers every question all the same. */
function isReadable(code: string | undefined): boolean {
  return code === 'postgres.disk_full' || code === 'postgres.read_only';
}

/** Reads the status. If Postgres goes away meanwhile, the wait for it ends with the reason. */
async function readGuarded(
  { ctx, ledger }: Opened,
  health: { report(): { dependencies: Readonly<Record<string, { state: string; code?: string }>> } },
): Promise<Status | Reason> {
  const guard = setInterval(() => {
    const { postgres } = health.report().dependencies;
    if (postgres?.state === 'down' && !isReadable(postgres.code)) ctx.db.breakConnections();
  }, GUARD_MS);
  try {
    return await readStatus(ctx, (await ledger.read()).gaps);
  } catch (error) {
    if (error instanceof PlantsyncError) return reasonOf(error);
    throw error;
  } finally {
    clearInterval(guard);
  }
}
