import type { Redact } from '../redact.ts';
import { sign } from './call-receiver.ts';
import type { Message, Webhook } from './notice.ts';

/** Who sends a message. */
export interface Sender {
  /** Name of the installation. */
  readonly installation: string;
  readonly version: string;
  readonly redact: Redact;
}

/** Body and headers of a message, as `docs/notify.md` describes them. */
export interface SentMessage {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Writes a message for a webhook. The same message has the same `Idempotency-Key` at each try. */
export function writeMessage(
  { notice, tells }: Message,
  { webhook, sender, nowMs }: { webhook: Webhook; sender: Sender; nowMs: number },
): SentMessage {
  const { event, subject, severity, since, sentence, remedy, code } = notice.body;
  const isOver = tells === 'recovered';
  const openedAt = isoOf(notice.openedAt);
  const content = {
    id: notice.id,
    event: isOver ? 'recovered' : event,
    ...(isOver && { of: event }),
    severity: isOver ? 'info' : severity,
    since: since ?? openedAt,
    ...(isOver && { until: isoOf(notice.recoveredAt ?? notice.openedAt) }),
    sentence: isOver ? `it is over: ${sentence}` : sentence,
    remedy: isOver ? 'Nothing is to do.' : remedy,
    facts: { subject, code: code ?? null, openedAt },
    installation: sender.installation,
    version: sender.version,
  };
  return seal(JSON.stringify(content), {
    ...{ webhook, sender, nowMs },
    key: isOver ? `${notice.id}-recovered` : notice.id,
  });
}

/** Writes a message that only tries a webhook. */
export function writeTest(
  id: string,
  { webhook, sender, nowMs }: { webhook: Webhook; sender: Sender; nowMs: number },
): SentMessage {
  const at = new Date(nowMs).toISOString();
  const content = {
    ...{ id, event: 'test', severity: 'info', since: at },
    sentence: 'somebody tries this webhook by plantsync check --notify',
    remedy: 'Nothing is to do.',
    facts: { subject: webhook.name, code: null, openedAt: at },
    installation: sender.installation,
    version: sender.version,
  };
  return seal(JSON.stringify(content), { webhook, sender, nowMs, key: id });
}

function seal(
  written: string,
  { webhook, sender, nowMs, key }: { webhook: Webhook; sender: Sender; nowMs: number; key: string },
): SentMessage {
  const body = sender.redact(written);
  const { secret, headers } = webhook;
  return {
    body,
    headers: {
      ...headers,
      'content-type': 'application/json',
      'idempotency-key': key,
      ...(secret !== undefined && sign(body, { secret, atSec: Math.floor(nowMs / 1000) })),
    },
  };
}

function isoOf(micros: number): string {
  return new Date(micros / 1000).toISOString();
}
