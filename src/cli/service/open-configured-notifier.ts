import type { Config } from '../../config/config-schema.ts';
import type { Health } from '../../console/readiness.ts';
import { countBegun } from '../../load/alarms/count-alarms.ts';
import type { StoreKinds } from '../../load/stores/store-kind.ts';
import type { Logger } from '../../log.ts';
import type { Metrics } from '../../metrics.ts';
import type { Sender } from '../../notify/messages.ts';
import type { Notifier, ToldService } from '../../notify/open-notifier.ts';
import { readVersion } from '../../package-root.ts';
import type { Redact } from '../../redact.ts';
import type { SyncContext } from '../../sync/context.ts';
import type { OverviewLedger } from '../../sync/status/overview.ts';
import type { Role } from '../roles.ts';

export interface NotifierSettings {
  readonly config: Config;
  readonly role: Role;
  readonly kinds: StoreKinds;
  readonly log: Logger;
  readonly redact: Redact;
}

/**
 * Opens the notifier if the configuration has webhooks or a heartbeat. Its library is loaded only then. A
 * console tells nobody.
 */
export async function openConfiguredNotifier(
  settings: NotifierSettings,
  parts: { readonly health: Health; readonly metrics: Metrics },
): Promise<Notifier | undefined> {
  const { config, role, kinds, log } = settings;
  const isWanted = config.notify.webhooks.length > 0 || config.heartbeat.url !== undefined;
  if (!isWanted || role === 'console') return undefined;
  const { openNotifier } = await import('../../notify/open-notifier.ts');
  return openNotifier({
    ...{ config, kinds, log, ...parts },
    sender: senderOf(settings),
    clock: Date.now,
    tellsAtFirst: role !== 'worker',
  });
}

/** Returns who sends the messages of this installation. */
export function senderOf({ config, redact }: Pick<NotifierSettings, 'config' | 'redact'>): Sender {
  const { host } = new URL(config.platform.baseUrl);
  return { installation: config.notify.installation ?? host, version: readVersion(), redact };
}

/** Returns the running service as the notifier reads it. */
export function describeToldService(
  { ledger, platform, db, schemas }: Pick<SyncContext, 'ledger' | 'platform' | 'db' | 'schemas'>,
  overview: OverviewLedger,
): ToldService {
  return {
    ledger,
    overview,
    tokenUntilMs: () => platform.token().validUntilMs,
    async countAlarms(withinMs) {
      const begun = await countBegun(db, schemas.data, withinMs);
      return [...begun.values()].reduce((sum, count) => sum + count, 0);
    },
  };
}
