import { ledgerTables } from './0001-ledger-tables.ts';
import { snapshotTables } from './0002-snapshot-tables.ts';
import { scanSettings } from './0003-scan-settings.ts';
import { alarmPolls } from './0004-alarm-polls.ts';
import { claims } from './0005-claims.ts';
import { control } from './0006-control.ts';
import { claimants } from './0007-claimants.ts';
import { stores } from './0008-stores.ts';
import { leases } from './0009-leases.ts';
import { otherRoles } from './0010-other-roles.ts';
import { services } from './0011-services.ts';
import { serviceDependencies } from './0012-service-dependencies.ts';
import { orders } from './0013-orders.ts';
import { forPeople } from './0014-for-people.ts';
import { rollups } from './0015-rollups.ts';
import { notices } from './0016-notices.ts';
import { listContents } from './0017-list-contents.ts';
import { coverageSums } from './0020-coverage-sums.ts';
import { claimNumbers } from './0021-claim-numbers.ts';
import { rollupMarkAge } from './0022-rollup-mark-age.ts';
import type { Migration } from './migration.ts';

/** All steps, in their order. */
export const migrations: readonly Migration[] = [
  ledgerTables,
  snapshotTables,
  scanSettings,
  alarmPolls,
  claims,
  control,
  claimants,
  stores,
  leases,
  otherRoles,
  services,
  serviceDependencies,
  orders,
  forPeople,
  rollups,
  notices,
  listContents,
  coverageSums,
  claimNumbers,
  rollupMarkAge,
];
