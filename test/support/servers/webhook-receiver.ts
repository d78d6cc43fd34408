import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** A call that a receiver got. */
export interface ReceivedCall {
  readonly path: string;
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly raw: string;
  /** The body, if it is JSON. */
  readonly body: Readonly<Record<string, unknown>>;
  /** The status that was answered. Undefined if the receiver hangs. */
  readonly status: number | undefined;
}

export interface WebhookReceiver {
  /** The address of the receiver, without a path. */
  readonly url: string;
  readonly calls: ReceivedCall[];
  /** Lists the bodies of a path that were taken. */
  taken(path: string): ReceivedCall['body'][];
  /** Decides what is answered on a path: a status, or nothing at all. 204 if nobody decides. */
  answer(path: string, status: number | 'hang'): void;
}

/** Starts a receiver of webhooks on this machine. It ends with the test. */
export async function openWebhookReceiver(): Promise<WebhookReceiver> {
  const calls: ReceivedCall[] = [];
  const answers = new Map<string, number | 'hang'>();
  const server = createServer((request, response) => {
    void text(request).then((raw) => {
      const { url: path = '', method = '', headers } = request;
      const answer = answers.get(path) ?? 204;
      const status = answer === 'hang' ? undefined : answer;
      const body = raw === '' ? {} : JSON.parse(raw);
      calls.push({ path, method, headers, raw, body, status });
      if (status !== undefined) response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    taken: (path) =>
      calls.filter((call) => call.path === path && call.status === 204).map(({ body }) => body),
    answer: (path, status) => answers.set(path, status),
  };
}

/** Tells whether a call was signed by this secret, as docs/notify.md tells receivers to check it. */
export function isSignedBy({ headers, raw }: ReceivedCall, secret: string): boolean {
  const timestamp = headers['x-plantsync-timestamp'];
  const digest = createHmac('sha256', secret).update(`${timestamp}.${raw}`).digest('hex');
  const isFresh = Math.abs(Date.now() / 1000 - Number(timestamp)) < 300;
  return isFresh && headers['x-plantsync-signature'] === `sha256=${digest}`;
}
