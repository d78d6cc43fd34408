import type { OperationId } from '../platform/operations.ts';
import { mix, unit } from './random.ts';

/**
 * What goes wrong:
 * - `status`: an error reply with `status` (500 by default), `code`, `message`, and `Retry-After` if set
 * - `html`: the same with a page of HTML (502 by default)
 * - `json-garbage`: 200 with a body that is no JSON; `empty`: 200 with no body
 * - `reset`: the connection is reset before anything is done; `lost`: all is done, then it is reset without a reply
 * - `silent`: no reply ever
 * - `truncate`: the reply ends in the middle; `slow`: the reply comes in small pieces, over `delayMs`
 * - `latency`: the reply comes `delayMs` later (other rules apply too)
 * - `revoke`: all access tokens become invalid before this request is looked at
 * - `empty-list`: the list is empty and says so, as after an outage of what stands behind the platform
 * - `hide`: one record in two is neither in the list nor found by its name, as after a change of permissions
 * - `insert`, `remove`: a record is added at the head of the list, or taken from it, before this page is read
 */
export const faultKinds = [
  'status',
  'html',
  'json-garbage',
  'empty',
  'reset',
  'lost',
  'silent',
  'truncate',
  'slow',
  'latency',
  'revoke',
  'empty-list',
  'hide',
  'insert',
  'remove',
] as const;
export type FaultKind = (typeof faultKinds)[number];

/** When something goes wrong. Without conditions a rule holds for every request. */
export interface FaultRule {
  readonly kind: FaultKind;
  readonly operation?: OperationId | '*';
  /** Text that the URL or the body must contain. */
  readonly match?: string;
  /** The first so many requests that fit are spared. */
  readonly after?: number;
  /** The rule ends after so many faults. */
  readonly times?: number;
  /** Share of the requests that fit, decided the same way in every start. */
  readonly probability?: number;
  readonly status?: number;
  readonly code?: string | number;
  readonly message?: string;
  readonly retryAfterSec?: number;
  readonly delayMs?: number;
}

interface ArmedRule {
  readonly rule: FaultRule;
  seen: number;
  done: number;
}

/** The rules in force. */
export class Faults {
  #rules: ArmedRule[] = [];
  readonly #seed: number;

  constructor(rules: readonly FaultRule[], seed: number) {
    this.#seed = seed;
    this.set(rules);
  }

  /** Replaces all rules; counting starts anew. */
  set(rules: readonly FaultRule[]): void {
    for (const { kind } of rules)
      if (!faultKinds.includes(kind)) throw new Error(`the simulator has no fault of kind ${kind}`);
    this.#rules = rules.map((rule) => ({ rule, seen: 0, done: 0 }));
  }

  /** The rules that strike this request: any number of `latency`, then at most one other. */
  strike(operation: OperationId, text: string): FaultRule[] {
    const struck: FaultRule[] = [];
    for (const armed of this.#rules) {
      const isDelay = armed.rule.kind === 'latency';
      if (!isDelay && struck.some((rule) => rule.kind !== 'latency')) continue;
      if (this.#holds(armed, operation, text)) struck.push(armed.rule);
    }
    return struck;
  }

  #holds(armed: ArmedRule, operation: OperationId, text: string): boolean {
    const { rule } = armed;
    if (rule.operation !== undefined && rule.operation !== '*' && rule.operation !== operation) return false;
    if (rule.match !== undefined && !text.includes(rule.match)) return false;
    armed.seen += 1;
    if (armed.seen <= (rule.after ?? 0)) return false;
    if (armed.done >= (rule.times ?? Number.POSITIVE_INFINITY)) return false;
    if (rule.probability !== undefined && unit(mix(this.#seed, armed.seen)) >= rule.probability) return false;
    armed.done += 1;
    return true;
  }
}
