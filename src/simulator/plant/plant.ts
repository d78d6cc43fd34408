import type { Signal } from '../signals/signal.ts';
import { signalOf } from '../signals/signal-of.ts';
import { type GivenPoint, generatedSignal, StoredSignal } from '../signals/stored.ts';
import type { PlainRecord } from '../values.ts';
import { Collection, nothing } from './collection.ts';
import { createNetworks, type NetworkRecord } from './create-networks.ts';
import { createObjects, type ObjectRecord } from './create-objects.ts';
import { createNodes, createOrgs, type NodeRecord, type OrgRecord } from './create-orgs.ts';
import { createPersons, createUsers, type PersonRecord, type UserRecord } from './create-persons.ts';
import { blueprintAt, createProperties, type PropertyRecord } from './create-properties.ts';
import type { PlantSeed } from './plant-names.ts';
import type { PlantSize } from './size.ts';

/** An object that a caller adds, with the points of its properties. */
export interface GivenObject extends PlainRecord {
  readonly name: string;
  readonly templateName?: string;
  /** False for an object that exists but is in no list. */
  readonly listed?: boolean;
  readonly properties?: readonly GivenProperty[];
}

export interface GivenProperty extends PlainRecord {
  readonly name: string;
  /** The default is `Double`. */
  readonly primitiveType?: string;
  /** The default is true. */
  readonly persisted?: boolean;
  readonly logged?: boolean;
  /**
   * The points of the property, to which more can be added later. It may also be a function that computes the
   * points of a window in ascending order, or a signal.
   */
  readonly points?: Iterable<GivenPoint> | ((fromMs: number, toMs: number) => Iterable<GivenPoint>) | Signal;
}

/** A property that was found by its full name. */
export interface FoundSeries {
  readonly object: ObjectRecord;
  /** The property. It is undefined if the object has no such property. */
  readonly property: PropertyRecord | undefined;
  readonly signal: Signal | undefined;
}

/** The most objects whose computed properties are kept. */
const MOST_COMPUTED = 10_000;

/** All master data of the simulated platform, and the signals of its properties. */
export class Plant {
  readonly persons: Collection<PersonRecord>;
  readonly users: Collection<UserRecord>;
  readonly orgs: Collection<OrgRecord>;
  readonly objects: Collection<ObjectRecord>;
  readonly networks: Collection<NetworkRecord>;
  readonly #nodes = new Map<string, Collection<NodeRecord>>();
  /** The properties of objects whose properties were changed or given. */
  readonly #properties = new Map<string, Collection<PropertyRecord>>();
  readonly #computed = new Map<string, Collection<PropertyRecord>>();
  readonly #given = new Map<string, Signal>();

  constructor(
    readonly seed: PlantSeed,
    readonly size: PlantSize,
  ) {
    this.persons = createPersons(seed, size);
    this.users = createUsers(seed, size);
    this.orgs = createOrgs(seed, size);
    this.objects = createObjects(seed, size);
    this.networks = createNetworks(seed, size);
  }

  /** Returns the nodes of a tree. */
  nodes(org: string): Collection<NodeRecord> {
    const known = this.#nodes.get(org);
    if (known) return known;
    const nodes = createNodes(this.seed, this.size, org);
    this.#nodes.set(org, nodes);
    return nodes;
  }

  /** Returns the properties of an object for reading. */
  properties(object: string): Collection<PropertyRecord> {
    return this.#properties.get(object) ?? this.#computedProperties(object);
  }

  /**
   * Returns computed properties. They are kept for a while, since history asks for the same objects again and
   * again.
   */
  #computedProperties(object: string): Collection<PropertyRecord> {
    const known = this.#computed.get(object);
    if (known !== undefined) return known;
    if (this.#computed.size >= MOST_COMPUTED) this.#computed.clear();
    const computed = createProperties(this.seed, object, this.size.propertiesPerObject);
    this.#computed.set(object, computed);
    return computed;
  }

  /** Returns the properties of an object for a change. From now on they are kept. */
  ownProperties(object: string): Collection<PropertyRecord> {
    const properties = this.properties(object);
    this.#properties.set(object, properties);
    return properties;
  }

  /** Adds an object with properties of its own only. */
  addObject({ properties = [], ...object }: GivenObject): void {
    const own = new Collection<PropertyRecord>(nothing, (property) => property.name);
    this.#properties.set(object.name, own);
    this.objects.add({ showName: object.name, description: '', status: true, ...object });
    for (const property of properties) this.addProperty(object.name, property);
  }

  /** Adds a property, with its points, to an object. */
  addProperty(object: string, { points = [], ...property }: GivenProperty): void {
    this.ownProperties(object).add({
      primitiveType: 'Double',
      persisted: true,
      logged: true,
      showName: property.name,
      ...property,
    });
    this.#given.set(`${object}.${property.name}`, this.#signalFrom(points));
  }

  #signalFrom(points: NonNullable<GivenProperty['points']>): Signal {
    if (typeof points === 'function') return generatedSignal(points, this.seed.startMs);
    return 'read' in points ? points : new StoredSignal(points);
  }

  /** Adds points to a property that was given with a list of points. Throws if there is no such property. */
  addPoints(series: string, points: Iterable<GivenPoint>): void {
    const signal = this.#given.get(series);
    if (!(signal instanceof StoredSignal)) throw new Error(`${series} is no series of given points`);
    signal.add(points);
  }

  /**
   * Finds a property by `object.property`. Both names may hold dots. Returns undefined if there is no such
   * object.
   */
  findSeries(name: string): FoundSeries | undefined {
    let found: FoundSeries | undefined;
    for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) {
      const object = this.objects.get(name.slice(0, dot));
      if (!object) continue;
      const property = this.properties(object.name).get(name.slice(dot + 1));
      found = { object, property, signal: property && this.#signal(object.name, property.name) };
      if (property) break;
    }
    return found;
  }

  #signal(object: string, property: string): Signal | undefined {
    const name = `${object}.${property}`;
    const given = this.#given.get(name);
    if (given) return given;
    for (let index = 0; index < this.size.propertiesPerObject; index += 1) {
      const kind = blueprintAt(this.seed, object, index);
      if (kind.name === property) return signalOf(this.seed, name, kind.blueprint);
    }
    return undefined;
  }
}
