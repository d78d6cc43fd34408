import { connect, createServer, type Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import { onTestFinished } from 'vitest';

export interface TlsFront {
  readonly port: number;
  /** Returns the number of connections that came in by TLS. */
  encrypted(): number;
}

/** The bytes of the message that asks for TLS in the protocol of PostgreSQL, before the handshake. */
const sslRequestBytes = 8;

/**
 * Starts a server that adds real TLS to a server without TLS. With `negotiates`, clients ask for TLS first,
 * as clients of PostgreSQL do. It is closed when the test ends.
 */
export async function startTlsFront(
  target: { readonly host: string; readonly port: number },
  pair: { readonly key: string; readonly cert: string },
  { negotiates = false } = {},
): Promise<TlsFront> {
  let encrypted = 0;
  const open = new Set<Socket>();
  const secureContext = createSecureContext(pair);
  const serve = (raw: Socket) => {
    const inner = new TLSSocket(raw, { isServer: true, secureContext });
    inner.once('secure', () => {
      encrypted += 1;
      const onward = connect(target);
      open.add(onward);
      onward.on('error', () => inner.destroy());
      onward.pipe(inner).pipe(onward);
    });
    inner.on('error', () => raw.destroy());
  };
  const server = createServer((raw) => {
    open.add(raw);
    raw.on('error', () => raw.destroy());
    if (!negotiates) return serve(raw);
    raw.once('readable', () => {
      if (raw.read(sslRequestBytes) === null) return;
      raw.write('S');
      serve(raw);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    for (const socket of open) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the front has no port');
  return { port: address.port, encrypted: () => encrypted };
}
