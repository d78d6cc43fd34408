import { createHmac } from 'node:crypto';
import { Agent, request } from 'undici';
import { messageOf, PlantsyncError } from '../errors.ts';

/** One call of a webhook or of the heartbeat. */
export interface ReceiverCall {
  /** The receiver for people, such as `the webhook oncall`. */
  readonly title: string;
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly agent: Agent;
}

/**
 * Calls a receiver. Throws a `PlantsyncError` if the receiver does not answer with success in time. The
 * message names the host of the address alone, because the address is a secret.
 */
export async function callReceiver(call: ReceiverCall): Promise<void> {
  const { title, url, method, headers, body, timeoutMs, signal, agent } = call;
  const patience = AbortSignal.timeout(timeoutMs);
  const at = `${title} at ${new URL(url).host}`;
  let status: number;
  try {
    const reply = await request(url, {
      ...{ method, dispatcher: agent, signal: AbortSignal.any([signal, patience]) },
      headers: { 'user-agent': 'plantsync', ...headers },
      ...(body !== undefined && { body }),
    });
    status = reply.statusCode;
    await reply.body.dump();
  } catch (error) {
    const reason = patience.aborted ? `no answer within ${timeoutMs / 1000} s` : messageOf(error);
    throw new PlantsyncError('notify.unreachable', `${at} cannot be reached: ${reason}`, { action: 'retry' });
  }
  if (status < 200 || status > 299)
    throw new PlantsyncError('notify.refused', `${at} answers HTTP ${status}`, { action: 'retry' });
}

/** Calls a receiver once, over a connection of its own. */
export async function callReceiverOnce(call: Omit<ReceiverCall, 'signal' | 'agent'>): Promise<void> {
  const agent = new Agent();
  try {
    await callReceiver({ ...call, agent, signal: new AbortController().signal });
  } finally {
    await agent.destroy();
  }
}

/**
 * Returns the headers that prove who sent a body, and when. A receiver computes the same over the timestamp,
 * a point and the body.
 */
export function sign(body: string, { secret, atSec }: { secret: string; atSec: number }) {
  const digest = createHmac('sha256', secret).update(`${atSec}.${body}`).digest('hex');
  return { 'x-plantsync-timestamp': String(atSec), 'x-plantsync-signature': `sha256=${digest}` };
}
