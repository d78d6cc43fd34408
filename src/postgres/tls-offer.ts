import { connect } from 'node:net';

/** The message that asks for TLS: its length, and the code that the protocol has for it. */
const sslRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/**
 * Asks a server whether it takes TLS, before a connection with `sslmode=prefer`. A Unix socket takes no TLS.
 * Resolves to true if the server gives no answer: the connection itself then says what is wrong.
 */
export function offersTls(
  { host, port }: { host: string; port: number },
  timeoutMs: number,
): Promise<boolean> {
  if (host.startsWith('/')) return Promise.resolve(false);
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: timeoutMs });
    const end = (offered: boolean) => {
      socket.destroy();
      resolve(offered);
    };
    socket.once('connect', () => socket.write(sslRequest));
    socket.once('data', (reply) => end(reply.toString('latin1', 0, 1) !== 'N'));
    for (const event of ['error', 'timeout', 'close'] as const) socket.once(event, () => end(true));
  });
}
