import type { Agent } from 'undici';
import { backoffMs, type Waits } from '../backoff.ts';
import type { Sleep } from '../sleep.ts';
import { callReceiver } from './call-receiver.ts';
import { type Sender, writeMessage } from './messages.ts';
import type { Message, Webhook } from './notice.ts';

export interface DeliveryOptions {
  readonly webhook: Webhook;
  readonly sender: Sender;
  readonly agent: Agent;
  /** Returns the next message for the webhook. Undefined if there is none, or if others tell. */
  readonly next: () => Message | undefined;
  readonly onTaken: (message: Message) => void;
  /** Is told the error of each try, or undefined after a success. */
  readonly onTry: (error: unknown) => void;
  /** Returns epoch milliseconds. */
  readonly clock: () => number;
  readonly sleep: Sleep;
  readonly waits: Waits;
  /** Time between two looks for a message. */
  readonly lookMs: number;
  readonly signal: AbortSignal;
}

/**
 * Sends messages to one webhook, one after another, until the signal. A message is sent again until the
 * webhook takes it. Each webhook has its own loop, so that one that hangs holds up no other.
 */
export async function deliver(options: DeliveryOptions): Promise<void> {
  const { next, sleep, lookMs, waits, signal } = options;
  let failures = 0;
  while (!signal.aborted) {
    const message = next();
    if (message === undefined) await sleep(lookMs, signal);
    else if (await send(message, options)) failures = 0;
    else {
      await sleep(backoffMs(waits, failures), signal);
      failures += 1;
    }
  }
}

async function send(message: Message, options: DeliveryOptions): Promise<boolean> {
  const { webhook, sender, agent, onTaken, onTry, clock, signal } = options;
  const { url, timeoutMs, name } = webhook;
  const { body, headers } = writeMessage(message, { webhook, sender, nowMs: clock() });
  try {
    const title = `the webhook ${name}`;
    await callReceiver({ title, url, method: 'POST', headers, body, timeoutMs, signal, agent });
    onTaken(message);
    onTry(undefined);
    return true;
  } catch (error) {
    // The end of the process is no failure of the webhook.
    if (!signal.aborted) onTry(error);
    return false;
  }
}
