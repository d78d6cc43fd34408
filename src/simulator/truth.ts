import type { ListOperationId, OperationId } from '../platform/operations.ts';
import { listFor, ordinaryObjects } from './list-sources.ts';
import type { StartedWorkflow } from './plant/workflows.ts';
import type { Query } from './query.ts';
import { getNetwork, getObject, getOrg, getOrgNode, getPerson, getUser } from './routes/master-data.ts';
import { seenAt } from './signals/signal.ts';
import { defaultDialect } from './simulator-dialect.ts';
import type { PlainRecord, Value } from './values.ts';
import type { PromptHandler, World } from './world.ts';

/** A property of a listed object. */
export interface SeriesTruth {
  readonly object: string;
  readonly property: string;
  readonly primitiveType: string;
  readonly persisted: boolean;
  readonly logged: boolean;
}

/** A point as the plant has it: epoch milliseconds (a fraction holds microseconds) and value. */
export type PointTruth = readonly [timeMs: number, value: Value];

export interface RecordsInput {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Query;
  /** The first record of a part of the list. Without `offset` and `limit` the whole list is read. */
  readonly offset?: number;
  readonly limit?: number;
}

/** Operations that answer with one record. */
export const details = { getPerson, getUser, getOrg, getOrgNode, getObject, getNetwork } satisfies Partial<
  Record<OperationId, PromptHandler>
>;
export type DetailOperationId = keyof typeof details;

/** Tells what the plant really holds, whatever dialect and faults make of it. */
export class Truth {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  /** Returns the number of records of a list. */
  count(operation: ListOperationId, { path = {}, query = {} }: RecordsInput = {}): number {
    return this.#list(operation, path, query).length;
  }

  /** Returns the records of a list as the platform shows them, with times as `YYYY-MM-DDThh:mm:ssZ`. */
  records(operation: ListOperationId, input: RecordsInput = {}): PlainRecord[] {
    const list = this.#list(operation, input.path ?? {}, input.query ?? {});
    const from = input.offset ?? 0;
    const to = Math.min(list.length, from + (input.limit ?? Number.POSITIVE_INFINITY));
    return Array.from({ length: Math.max(0, to - from) }, (_, index) => list.at(from + index));
  }

  /**
   * Returns the body of the reply to an operation of one record, with times as `YYYY-MM-DDThh:mm:ssZ`. Throws
   * a `RefusedCall` if there is no such record.
   */
  reply(operation: DetailOperationId, { path = {}, query = {} }: RecordsInput = {}): PlainRecord {
    const { body } = details[operation](this.#plainWorld(), { path, query, body: undefined });
    // The body is returned as it is sent: members with the value undefined are left out.
    return JSON.parse(JSON.stringify(body ?? {}));
  }

  /** Yields the properties of the listed objects (by default all of them), in the order of the list. */
  *series({ offset = 0, limit = Number.POSITIVE_INFINITY } = {}): Generator<SeriesTruth> {
    const { plant } = this.#world;
    const objects = ordinaryObjects(plant);
    for (let place = offset; place < Math.min(objects.length, offset + limit); place += 1) {
      const object = objects.at(place).name;
      const properties = plant.properties(object).list();
      for (let index = 0; index < properties.length; index += 1) {
        const { name, primitiveType, persisted, logged } = properties.at(index);
        yield {
          object,
          property: name,
          primitiveType,
          persisted: persisted === true,
          logged: logged === true,
        };
      }
    }
  }

  /**
   * Returns the points of a series `object.property` in `[fromMs, toMs)` up to now, late ones too. Returns no
   * points for a property whose history the platform does not keep. Throws if there is no such series.
   */
  history(series: string, fromMs: number, toMs: number, max = Number.POSITIVE_INFINITY): PointTruth[] {
    const { property, signal } = this.#find(series);
    if (!signal || (property?.persisted !== true && property?.logged !== true)) return [];
    const { times, values } = seenAt(signal, this.#world.nowMs(), 0).read(fromMs, toMs, max);
    return times.map((time, index) => [time, values[index] ?? null]);
  }

  /** Returns the entries of a datatable. */
  datatable(object: string): readonly PlainRecord[] {
    return this.#world.datatables.entries(object);
  }

  /** Returns the workflows that were started. */
  workflows(): readonly StartedWorkflow[] {
    return this.#world.workflows.started();
  }

  #find(series: string) {
    const found = this.#world.plant.findSeries(series);
    if (!found) throw new Error(`the plant has no object of ${series}`);
    return found;
  }

  #list(operation: ListOperationId, path: Readonly<Record<string, string>>, query: Query) {
    return listFor(this.#plainWorld(), operation, { path, query, body: undefined });
  }

  #plainWorld(): World {
    return { ...this.#world, dialect: defaultDialect };
  }
}
