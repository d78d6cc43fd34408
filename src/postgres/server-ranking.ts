import type { CodeOf } from '../error-codes/error-codes.ts';
import { messageOf, StoreError } from '../errors.ts';
import type { ServerFacts } from './server-facts.ts';
import type { ServerPlace, SessionDemand } from './server-list.ts';

/** What a server answered, or why it did not. */
export type Answer = { readonly place: ServerPlace } & (
  | { readonly facts: ServerFacts }
  | { readonly error: unknown }
);

/** By what a server is judged. */
export interface Standard {
  readonly demand: SessionDemand;
  /** The last server that was used. */
  readonly known: Pick<ServerFacts, 'identity'> | undefined;
}

/** Why a server is not used. */
export interface Unfit {
  readonly code: CodeOf<'postgres'>;
  readonly problem: string;
}

/** A server that can be used. */
export interface Usable {
  readonly place: ServerPlace;
  readonly facts: ServerFacts;
  /** Other servers that take writes, and must not. */
  readonly rivals: readonly string[];
}

/** Returns why a server is not used. Returns undefined if it can be used. */
export function whyUnfit(facts: ServerFacts, { demand, known }: Standard): Unfit | undefined {
  const { isReplica, isReadOnly, identity } = facts;
  if (demand !== 'any' && isReplica)
    return { code: 'postgres.read_only', problem: 'it is a read-only replica' };
  if (demand === 'read-write' && isReadOnly)
    return { code: 'postgres.read_only', problem: 'its transactions are read-only' };
  const last = known?.identity;
  if (identity === undefined || last === undefined || identity.system !== last.system) return undefined;
  if ((identity.timeline ?? Number.POSITIVE_INFINITY) >= (last.timeline ?? 0)) return undefined;
  return {
    code: 'postgres.old_timeline',
    problem:
      `its timeline ${identity.timeline} is older than timeline ${last.timeline}, which was used before: ` +
      'it is the primary from before a failover, or an old copy. Stop it, or make it a replica. ' +
      'If it was put back on purpose, start plantsync again',
  };
}

/**
 * Chooses the server that is used. The answers stand in the order of preference. Servers of another system
 * than the known one are left out while a server of the known one answers. Throws a `StoreError` if no server
 * can be used, and if servers of two systems take writes.
 */
export function chooseServer(answers: readonly Answer[], standard: Standard): Usable {
  const { demand, known } = standard;
  const told = answers.flatMap((answer) => ('facts' in answer ? [answer] : []));
  const writers = told.filter(({ facts }) => whyUnfit(facts, { demand, known: undefined }) === undefined);
  const isKnownThere = told.some(({ facts }) => systemOf(facts) === (systemOf(known) ?? 'none'));
  const ours = writers.filter(({ facts }) => !isKnownThere || !areStrangers(facts, known));
  const [best] = [...ours].sort((a, b) => timelineOf(b.facts) - timelineOf(a.facts));
  if (best === undefined || whyUnfit(best.facts, standard) !== undefined) throw noneUsable(answers, standard);
  const stranger = ours.find(({ facts }) => areStrangers(facts, best.facts));
  if (stranger !== undefined)
    throw new StoreError(
      'postgres.other_system',
      `PostgreSQL at ${nameOf(best.place)} and at ${nameOf(stranger.place)} are not copies of each other ` +
        '(their system identifiers differ): let postgres.url name a primary and its replicas only',
      { action: 'stop' },
    );
  const rivals = writers
    .filter((writer) => writer !== best)
    .map(({ place, facts }) => `${nameOf(place)} (timeline ${facts.identity?.timeline ?? 'unknown'})`);
  return { place: best.place, facts: best.facts, rivals };
}

function systemOf(server: Standard['known']): string | undefined {
  return server?.identity?.system;
}

/** Returns true if two servers are known to be copies of different clusters. */
function areStrangers(a: Standard['known'], b: Standard['known']): boolean {
  const [one, other] = [systemOf(a), systemOf(b)];
  return one !== undefined && other !== undefined && one !== other;
}

function timelineOf({ identity }: ServerFacts): number {
  return identity?.timeline ?? 0;
}

/** Makes the error that says of each server why it is not used. */
function noneUsable(answers: readonly Answer[], standard: Standard): Error {
  const [first, ...others] = answers.map((answer) => ('error' in answer ? answer.error : undefined));
  const allStop = [first, ...others].every((error) => error instanceof StoreError && error.action === 'stop');
  // No server would take a wrong password, for example, however long somebody waits.
  if (allStop && first instanceof StoreError) return first;
  const reasons = answers.map((answer) =>
    'error' in answer
      ? messageOf(answer.error)
      : `${nameOf(answer.place)}: ${whyUnfit(answer.facts, standard)?.problem ?? 'it belongs to another database system than the one that was used'}`,
  );
  return new StoreError(
    'postgres.no_primary',
    `no server of postgres.url takes writes: ${reasons.join('; ')}`,
    { action: 'retry' },
  );
}

export function nameOf({ host, port }: ServerPlace): string {
  return `${host}:${port}`;
}
