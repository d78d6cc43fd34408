import { z } from 'zod';
import { type OperationId, operations } from '../platform/operations.ts';
import { checkValue } from './check-value.ts';
import { mix, unit } from './random.ts';

/**
 * The kinds of faults:
 * - `status`: an error reply with `status` (500 by default), `code`, `message`, and `Retry-After` if set
 * - `html`: the same with a page of HTML (502 by default)
 * - `json-garbage`: 200 with a body that is no JSON; `empty`: 200 with no body
 * - `reset`: the connection is reset before anything is done
 * - `lost`: everything is done, and the connection is reset without a reply
 * - `silent`: the request gets no reply
 * - `truncate`: the reply ends in the middle; `slow`: the reply comes in small pieces, over `delayMs`
 * - `latency`: the reply comes `delayMs` later (other rules apply too)
 * - `revoke`: all access tokens become invalid before this request is looked at
 * - `empty-list`: the list is empty and says so, as after an outage of the system behind the platform
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

/** Members that shape the reply of a kind. A kind that is not named here has no such members. */
const shapedBy: Partial<Record<FaultKind, readonly string[]>> = {
  status: ['status', 'code', 'message', 'retryAfterSec'],
  html: ['status', 'message', 'retryAfterSec'],
  'json-garbage': ['status'],
  empty: ['status'],
  slow: ['delayMs'],
  latency: ['delayMs'],
};
const shapes = ['status', 'code', 'message', 'retryAfterSec', 'delayMs'] as const;

/** One rule: which fault strikes which requests. Without conditions the rule holds for every request. */
export const faultSchema = z
  .strictObject({
    kind: z.enum(faultKinds),
    /** The operation that the rule is for. Without it the rule is for all operations. */
    operation: z.enum([...(Object.keys(operations) as OperationId[]), '*']).optional(),
    /** Text that the URL or the body must contain. */
    match: z.string().min(1).optional(),
    /** This many fitting requests are spared at first. */
    after: z.int().min(0).optional(),
    /** The rule ends after this many faults. */
    times: z.int().min(0).optional(),
    /** The share of the fitting requests that are struck. The same requests are struck in every start. */
    probability: z.number().min(0).max(1).optional(),
    status: z.int().min(200).max(599).optional(),
    code: z.union([z.string(), z.number()]).optional(),
    message: z.string().optional(),
    retryAfterSec: z.int().min(0).optional(),
    delayMs: z.number().min(0).optional(),
  })
  .superRefine((rule, context) => {
    const taken = shapedBy[rule.kind] ?? [];
    for (const member of shapes)
      if (rule[member] !== undefined && !taken.includes(member))
        context.addIssue({
          code: 'custom',
          path: [member],
          message: `a fault of kind ${rule.kind} does not take it`,
        });
    if (rule.kind === 'latency' && rule.delayMs === undefined)
      context.addIssue({ code: 'custom', path: ['delayMs'], message: 'missing: latency needs it' });
  });
export type FaultRule = Readonly<z.infer<typeof faultSchema>>;
const faultList = z.array(faultSchema);

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

  /** Replaces all rules and their counts. Throws if a rule has a wrong member, and keeps the old rules. */
  set(rules: readonly FaultRule[]): void {
    const checked = checkValue(faultList, rules, 'faults');
    this.#rules = checked.map((rule) => ({ rule, seen: 0, done: 0 }));
  }

  /** Returns the rules that strike this request: any number of `latency`, and at most one other. */
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
