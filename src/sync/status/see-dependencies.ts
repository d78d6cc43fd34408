import type { DependencyReport, DependencyReports } from '../../ledger/dependency-report.ts';
import type { ServiceRecord } from '../../ledger/services.ts';
import type { StoreKinds } from '../../load/stores/store-kind.ts';
import type { SeenDependency, SeenToken, Teller } from './overview-types.ts';

/** What the asking process knows of the dependencies. */
export interface Looks {
  readonly reports: DependencyReports;
  readonly teller: Teller;
  /** Until when the access token is valid, in epoch milliseconds. Undefined without a token. */
  readonly tokenUntilMs: number | undefined;
}

/** The name under which the access token is reported among the dependencies. */
export const TOKEN = 'token';

/** How the name of a webhook begins among the dependencies. */
const RECEIVER = /^webhook:/;

/** Tells whether a dependency is only told what is wrong, so that the data does not need it. */
export function isReceiver(name: string): boolean {
  return RECEIVER.test(name) || name === 'heartbeat';
}

interface Told {
  readonly report: DependencyReport;
  readonly teller: Teller;
}

/** The worse state counts, because one process that cannot reach a server is enough for data to be late. */
const rank = { down: 0, up: 1, unknown: 2 } as const;

/**
 * Joins what the asking process has seen with what the living processes of the service tell. If several see
 * the same state, the one that has seen it for the longest time tells it.
 */
export function seeDependencies(
  looks: Looks,
  services: readonly ServiceRecord[],
  kinds: StoreKinds,
): { readonly dependencies: SeenDependency[]; readonly token: SeenToken } {
  const tellers: { reports: DependencyReports; teller: Teller }[] = [
    looks,
    ...services
      .filter(({ isAlive }) => isAlive)
      .map(({ dependencies, role, host, pid }) => ({ reports: dependencies, teller: { role, host, pid } })),
  ];
  const found = new Map<string, Told>();
  for (const { reports, teller } of tellers)
    for (const [name, report] of Object.entries(reports)) {
      const before = found.get(name);
      if (before === undefined || isStronger(report, before.report)) found.set(name, { report, teller });
    }
  const token = found.get(TOKEN)?.report;
  found.delete(TOKEN);
  const titleOf = titles(kinds);
  return {
    dependencies: [...found].map(
      ([
        name,
        {
          report: { holdsUp: _, ...told },
          teller,
        },
      ]) => ({
        name,
        title: titleOf(name),
        ...told,
        toldBy: teller,
      }),
    ),
    token: seeToken(token, looks),
  };
}

function isStronger(a: DependencyReport, b: DependencyReport): boolean {
  if (a.state !== b.state) return rank[a.state] < rank[b.state];
  return a.since < b.since;
}

function seeToken(report: DependencyReport | undefined, { tokenUntilMs }: Looks): SeenToken {
  const { holdsUp: _, ...told } = report ?? { holdsUp: false, state: 'unknown', since: '' };
  return {
    ...told,
    ...(tokenUntilMs !== undefined && { validUntil: new Date(tokenUntilMs).toISOString() }),
  };
}

/** Returns the function that names a dependency or a kind of store for people. */
export function titles({ postgres, others }: StoreKinds): (name: string) => string {
  const known = new Map([
    ['platform', 'the platform'],
    ['redis', 'Redis'],
    [TOKEN, 'the access token'],
    ['heartbeat', 'the address of the heartbeat'],
    ['postgres', 'PostgreSQL'],
    [postgres.name, postgres.title],
    ...others.map(({ name, title }) => [name, title] as const),
  ]);
  return (name) => known.get(name) ?? name.replace(RECEIVER, 'the webhook ');
}
