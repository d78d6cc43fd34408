import fc from 'fast-check';
import type { Change, CollectionName } from '../../../src/simulator/plant/apply-change.ts';
import type { Simulator } from '../../../src/simulator/simulator-options.ts';
import type { PlainRecord } from '../../../src/simulator/values.ts';
import { choose, membersOf, recordsOf } from './random-members.ts';

/**
 * One change of the plant. Its numbers choose among the records that exist when the change is made. So every
 * sequence of steps is possible.
 */
export interface Step {
  readonly collection: CollectionName;
  readonly action: 'add' | 'remove' | 'rename' | 'update' | 'retype' | 'parts';
  readonly which: number;
  readonly dice: number;
}

/** A scan with changes before it, and changes during it: each after a number of requests of the scan. */
export interface Round {
  readonly before: readonly Step[];
  readonly during: readonly { readonly afterRequests: number; readonly step: Step }[];
}

export const step: fc.Arbitrary<Step> = fc.record({
  collection: fc.constantFrom('persons', 'users', 'orgs', 'objects', 'networks', 'nodes', 'properties'),
  action: fc.constantFrom('add', 'remove', 'rename', 'update', 'retype', 'parts', 'parts'),
  which: fc.nat(1000),
  dice: fc.nat(1_000_000),
});

/** One or two rounds of a few changes. */
export const rounds: fc.Arbitrary<Round[]> = fc.array(
  fc.record({
    before: fc.array(step, { maxLength: 8 }),
    during: fc.array(fc.record({ afterRequests: fc.integer({ min: 1, max: 90 }), step }), { maxLength: 4 }),
  }),
  { minLength: 1, maxLength: 2 },
);

/** Few names, so that removed records come back now and then. */
const names = ['new 1', 'a/b ~0', '新 %2F', 'quo"te\\', 'plus+ & ?#'] as const;
const oddValues = [5, 'yes', true, null, { odd: ['value'] }, ['a'], '', 1.5] as const;

const optionalMembers: Record<CollectionName, readonly string[]> = {
  persons: ['gender', 'showName'],
  users: ['email', 'phone', 'timeZone', 'userDesc', 'uploadUrl'],
  orgs: ['description', 'showName', 'code'],
  objects: ['status', 'createTime', 'description', 'explain', 'vendorExtra'],
  networks: ['description', 'showName'],
  nodes: ['sequenceNumber', 'code', 'description'],
  properties: ['readonly', 'structType', 'range', 'description', 'override'],
};

/** Makes a change. Does nothing where there is nothing to change. */
export function applyStep(simulator: Simulator, step: Step): void {
  const of = ownerOf(simulator, step);
  if (of === '') return;
  const { collection } = step;
  const records = recordsOf(simulator, collection, of);
  const made =
    step.action === 'add'
      ? { kind: 'add', record: newRecord(simulator, step) }
      : changeOne(simulator, records, step);
  if (made !== undefined)
    simulator.change({ collection, ...(of === undefined ? {} : { of }), ...made } as Change);
}

function newRecord(simulator: Simulator, step: Step): PlainRecord {
  const name = choose(names, step.which);
  return {
    [keyMember(step.collection)]: name,
    showName: `added ${step.dice % 10}`,
    ...membersOf(simulator, step.collection, step.dice),
  };
}

function changeOne(
  simulator: Simulator,
  records: readonly PlainRecord[],
  { collection, action, which, dice }: Step,
): object | undefined {
  if (records.length === 0) return undefined;
  const key = String(choose(records, which)[keyMember(collection)]);
  const update = (change: PlainRecord) => ({ kind: 'update', key, change });
  switch (action) {
    case 'remove':
      return { kind: 'remove', key };
    case 'rename':
      return update({ [keyMember(collection)]: choose(names, dice) });
    case 'update':
      return update({ showName: `changed ${dice}`, description: `text ${dice}` });
    case 'retype':
      return update({ [choose(optionalMembers[collection], which)]: choose(oddValues, dice) });
    default:
      return update(membersOf(simulator, collection, dice));
  }
}

function keyMember(collection: CollectionName): string {
  return collection === 'users' ? 'username' : 'name';
}

/**
 * Returns the owner of a record: the tree of nodes, or the object of properties. Returns an empty text if
 * there is no owner yet, and undefined where the records of a collection have no owner.
 */
function ownerOf(simulator: Simulator, { collection, dice }: Step): string | undefined {
  if (collection !== 'nodes' && collection !== 'properties') return undefined;
  const owners = recordsOf(simulator, collection === 'nodes' ? 'orgs' : 'objects');
  return owners.length === 0 ? '' : String(choose(owners, dice).name);
}

const rootCollections = ['persons', 'users', 'orgs', 'objects', 'networks'] as const;

/**
 * Remembers the records that the lists show now. The returned function adds the records that have gone since.
 */
export function rememberRecords(simulator: Simulator): (later: Simulator) => void {
  const remembered = rootCollections.map((collection) => ({
    collection,
    records: recordsOf(simulator, collection),
  }));
  return (later) => {
    for (const { collection, records } of remembered) {
      const key = keyMember(collection);
      const present = new Set(recordsOf(later, collection).map((record) => record[key]));
      for (const record of records.filter((one) => !present.has(one[key])))
        later.change({ collection, kind: 'add', record });
    }
  };
}
