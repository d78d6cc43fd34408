import type { Datatables } from './plant/datatables.ts';
import type { Plant } from './plant/plant.ts';
import type { Alarms } from './plant/plant-alarms.ts';
import type { Workflows } from './plant/workflows.ts';
import type { Query } from './query.ts';
import type { SimulatorDialect } from './simulator-dialect.ts';
import type { Tokens } from './tokens.ts';

/** How a request that struck a fault sees the plant: its lists empty, or one record in two hidden from it. */
export type View = 'empty' | 'half';

/** All that the operations of the simulated platform work on. */
export interface World {
  readonly plant: Plant;
  readonly alarms: Alarms;
  readonly datatables: Datatables;
  readonly workflows: Workflows;
  readonly tokens: Tokens;
  /** The platform's clock, epoch milliseconds. */
  readonly nowMs: () => number;
  dialect: SimulatorDialect;
  /** What a fault makes of the plant for one request. */
  readonly view?: View;
}

/** One request as an operation sees it: decoded, without HTTP. */
export interface Call {
  readonly path: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: unknown;
}

/** A reply: 200 with a JSON body unless it says otherwise. */
export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
  /** A body that is JSON text already, or its bytes in UTF-8. */
  readonly json?: string | Buffer;
}

/** What an operation does that needs to wait for nothing. */
export type PromptHandler = (world: World, call: Call) => Answer;

export type Handler = (world: World, call: Call) => Answer | Promise<Answer>;

/** A path parameter, decoded. */
export function pathParameter(call: Call, name: string): string {
  return call.path[name] ?? '';
}
