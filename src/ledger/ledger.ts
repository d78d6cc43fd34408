import type { Logger } from '../log.ts';
import type { Database } from '../postgres/connect.ts';
import type { Schemas } from '../postgres/schemas.ts';
import { type AlarmPolls, createAlarmPolls } from './alarm-polls.ts';
import { type Changes, createChanges } from './changes.ts';
import { type ChosenSeries, createChosenSeries } from './chosen-series.ts';
import { type Control, createControl } from './control.ts';
import { type Coverage, createCoverage } from './coverage.ts';
import { createDrift, type Drift } from './drift.ts';
import { createStores, type Stores } from './known-stores.ts';
import { type Claims, createClaims } from './leases/claims.ts';
import { createLeases, type Leases } from './leases/leases.ts';
import { type LedgerMarks, readMarks } from './marks.ts';
import { createNotices, type Notices } from './notices.ts';
import { createOrders, type Orders } from './orders.ts';
import { createOutbox, type Outbox } from './outbox.ts';
import { createPlatformFacts, type PlatformFacts } from './platform-facts.ts';
import { createReads, type Reads } from './reads.ts';
import { createRejects, type Rejects } from './rejects/rejects.ts';
import { createRuns, type Runs } from './runs.ts';
import { createScans, type Scans } from './scans.ts';
import { createSeriesRegistry, type SeriesRegistry } from './series.ts';
import { createServices, type Services } from './services.ts';

/** The tables in which plantsync remembers what it has done. */
export interface Ledger {
  readonly coverage: Coverage;
  readonly chosen: ChosenSeries;
  readonly claims: Claims;
  readonly leases: Leases;
  readonly series: SeriesRegistry;
  readonly runs: Runs;
  readonly rejects: Rejects;
  readonly scans: Scans;
  readonly reads: Reads;
  readonly changes: Changes;
  readonly drift: Drift;
  readonly platformFacts: PlatformFacts;
  readonly outbox: Outbox;
  readonly alarmPolls: AlarmPolls;
  readonly control: Control;
  readonly notices: Notices;
  readonly orders: Orders;
  readonly stores: Stores;
  readonly services: Services;
  /** Reads texts that change whenever a part of the ledger does. */
  readMarks(): Promise<LedgerMarks>;
}

/**
 * Makes the ledger over an open database. The creator of the database closes it. `migrate` must have run
 * before.
 */
export function createLedger(db: Database, schemas: Schemas, log?: Logger): Ledger {
  const leases = createLeases(db, schemas, log);
  return {
    coverage: createCoverage(db, schemas),
    chosen: createChosenSeries(db, schemas),
    claims: createClaims(db, schemas, leases),
    leases,
    series: createSeriesRegistry(db, schemas),
    runs: createRuns(db, schemas, leases),
    rejects: createRejects(db, schemas),
    scans: createScans(db, schemas),
    reads: createReads(db, schemas),
    changes: createChanges(db, schemas),
    drift: createDrift(db, schemas),
    platformFacts: createPlatformFacts(db, schemas),
    outbox: createOutbox(db, schemas),
    alarmPolls: createAlarmPolls(db, schemas),
    control: createControl(db, schemas),
    notices: createNotices(db, schemas),
    orders: createOrders(db, schemas, leases),
    stores: createStores(db, schemas),
    services: createServices(db, schemas),
    readMarks: () => readMarks(db, schemas),
  };
}
