import { createServer, request as sendRequest } from 'node:http';
import { connect } from 'node:net';
import { onTestFinished } from 'vitest';

export interface TestProxy {
  readonly url: string;
  /** The requests to the proxy: `CONNECT host:port`, or `GET http://host:port`. */
  readonly asked: readonly string[];
  /** The `Proxy-Authorization` headers that the proxy received. */
  readonly credentials: readonly (string | undefined)[];
}

/** Starts an HTTP proxy (forwarding, and tunnels by CONNECT). It is closed when the test ends. */
export async function startTestProxy(): Promise<TestProxy> {
  const asked: string[] = [];
  const credentials: (string | undefined)[] = [];
  const server = createServer((message, response) => {
    const url = new URL(message.url ?? '');
    asked.push(`${message.method} ${url.origin}`);
    credentials.push(message.headers['proxy-authorization']);
    const onward = sendRequest(url, { method: message.method, headers: message.headers }, (reply) => {
      response.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(response);
    });
    message.pipe(onward);
  });
  server.on('connect', (message, socket, head) => {
    asked.push(`CONNECT ${message.url}`);
    credentials.push(message.headers['proxy-authorization']);
    const [host = '', port] = (message.url ?? '').split(':');
    const onward = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      onward.write(head);
      onward.pipe(socket).pipe(onward);
    });
    // When one end has gone, the other has nobody to talk to.
    onward.on('error', () => socket.destroy());
    socket.on('error', () => onward.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  return { url: `http://127.0.0.1:${address.port}`, asked, credentials };
}
