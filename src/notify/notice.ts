import type { Config } from '../config/config-schema.ts';
import type { NoticeRecord, Told } from '../ledger/notices.ts';

export type Webhook = Config['notify']['webhooks'][number];
export type NoticeEvent = Webhook['events'][number];
export type Severity = 'critical' | 'warning' | 'info';

/** Something that is wrong, as webhooks are told of it. */
export interface Noticed {
  readonly event: Exclude<NoticeEvent, 'recovered'>;
  /** What the problem is about: a stream, a store, a job, a role, … */
  readonly subject: string;
  readonly severity: Severity;
  /** Since when it is wrong, in ISO 8601, as far as that is known. */
  readonly since: string | undefined;
  readonly sentence: string;
  readonly remedy: string;
  readonly code?: string | undefined;
}

/** A problem that was told, or waits to be told. */
export interface Notice extends NoticeRecord {
  readonly body: Noticed;
}

/** One message to one webhook. */
export interface Message {
  readonly notice: Notice;
  readonly tells: Told;
}

/** Returns the same text for the same problem, whenever it is seen. */
export function keyOf({ event, subject }: Pick<Noticed, 'event' | 'subject'>): string {
  return `${event} ${subject}`;
}

/** The name under which a webhook stands among the dependencies. */
export function dependencyOf({ name }: Pick<Webhook, 'name'>): string {
  return `webhook:${name}`;
}

/** Returns what a webhook has to be told of a notice next. Returns undefined if it knows all it wants to. */
export function nextMessage(notice: Notice, webhook: Webhook): Told | undefined {
  const { body, told, recoveredAt } = notice;
  if (!wants(webhook, body)) return undefined;
  const known = told[webhook.name];
  if (known === undefined) return 'opened';
  const isOver = recoveredAt !== undefined && webhook.events.includes('recovered');
  return isOver && known === 'opened' ? 'recovered' : undefined;
}

function wants(webhook: Webhook, { event, subject }: Noticed): boolean {
  // A webhook that cannot be reached need not be told so.
  return webhook.events.includes(event) && subject !== dependencyOf(webhook);
}
