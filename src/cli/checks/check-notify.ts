import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { messageOf, PlantsyncError } from '../../errors.ts';
import { callReceiverOnce } from '../../notify/call-receiver.ts';
import { writeTest } from '../../notify/messages.ts';
import type { Webhook } from '../../notify/notice.ts';
import type { Session } from '../open/session.ts';
import { senderOf } from '../service/open-configured-notifier.ts';
import type { Check } from './check.ts';

const CONNECT_MS = 5_000;

/**
 * Lists the checks of the webhooks and the heartbeat. With `sends` each webhook gets a test message, and the
 * heartbeat is called once. Otherwise only their hosts are tried, since a call would tell people something.
 */
export function checksOfNotify(session: Session, { sends }: { readonly sends: boolean }): Check[] {
  const { notify, heartbeat } = session.config;
  const { url } = heartbeat;
  return [
    ...notify.webhooks.map((webhook) => ({
      what: `webhook ${webhook.name}`,
      look: () => (sends ? sendTest(webhook, session) : tryHost(`the webhook ${webhook.name}`, webhook.url)),
    })),
    ...(url === undefined
      ? []
      : [{ what: 'heartbeat', look: () => (sends ? beatOnce(url, session) : tryHost(HEARTBEAT, url)) }]),
  ];
}

const HEARTBEAT = 'the address of the heartbeat';

async function sendTest(webhook: Webhook, session: Session): Promise<string> {
  const sender = senderOf(session);
  const written = writeTest(randomUUID(), { webhook, sender, nowMs: Date.now() });
  const { url, name, timeoutMs } = webhook;
  await callReceiverOnce({ title: `the webhook ${name}`, url, method: 'POST', timeoutMs, ...written });
  return `${new URL(url).host} took a test message`;
}

async function beatOnce(url: string, session: Session): Promise<string> {
  const { method, timeoutMs } = session.config.heartbeat;
  await callReceiverOnce({ title: HEARTBEAT, url, method, timeoutMs });
  return `${new URL(url).host} took a call`;
}

/** Connects to the host of an address, and sends nothing. */
async function tryHost(title: string, address: string): Promise<string> {
  const { hostname, port, protocol, host } = new URL(address);
  const socket = connect({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || (protocol === 'https:' ? 443 : 80)),
  });
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(CONNECT_MS) });
    return `${host} can be reached; --notify sends a test message`;
  } catch (error) {
    const reason = messageOf(error);
    throw new PlantsyncError('notify.unreachable', `${title} at ${host} cannot be reached: ${reason}`);
  } finally {
    socket.destroy();
  }
}
