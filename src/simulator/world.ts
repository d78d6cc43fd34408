import type { Datatables } from './plant/datatables.ts';
import type { Plant } from './plant/plant.ts';
import type { Alarms } from './plant/plant-alarms.ts';
import type { Workflows } from './plant/workflows.ts';
import type { Query } from './query.ts';
import type { SimulatorDialect } from './simulator-dialect.ts';
import type { Tokens } from './tokens.ts';

/** How a request with a fault sees the plant: with empty lists, or with one record in two hidden. */
export type View = 'empty' | 'half';

/** The parts on which the operations of the simulated platform work. */
export interface World {
  readonly plant: Plant;
  readonly alarms: Alarms;
  readonly datatables: Datatables;
  readonly workflows: Workflows;
  readonly tokens: Tokens;
  /** The platform's clock, epoch milliseconds. */
  readonly nowMs: () => number;
  dialect: SimulatorDialect;
  /** The view that a fault gives to one request. */
  readonly view?: View;
}

/** One request as an operation sees it: decoded, and without HTTP. */
export interface Call {
  readonly path: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: unknown;
}

/** A reply. It has status 200 and a JSON body unless another status is given. */
export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
  /** A body that is JSON text already, or its bytes in UTF-8. */
  readonly json?: string | Buffer;
}

/** An operation that waits for nothing. */
export type PromptHandler = (world: World, call: Call) => Answer;

export type Handler = (world: World, call: Call) => Answer | Promise<Answer>;

/** Returns a path parameter, decoded. */
export function pathParameter(call: Call, name: string): string {
  return call.path[name] ?? '';
}
