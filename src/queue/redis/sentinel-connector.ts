import { type Redis, type SentinelConnectionOptions, SentinelConnector } from 'ioredis';

/** What the library's class opens clients with, and does not type. */
interface ClientOpener {
  connectToSentinel(...args: readonly unknown[]): Redis;
}

/**
 * Asks sentinels for the master, and hears of the next one. What listens for a failover belongs to one
 * connection and ends with it. The base class lets it listen on: a failover that it hears of while a client
 * asks for the master ends the client for ever.
 */
export class SteadySentinelConnector extends SentinelConnector {
  /** The client hands its own options over, which it does not type. */
  constructor(options: unknown) {
    super(options as SentinelConnectionOptions);
    const opener = this as unknown as ClientOpener;
    const open = opener.connectToSentinel.bind(this);
    opener.connectToSentinel = (...args) => {
      const client = open(...args);
      // Nobody listens to errors of a sentinel that only tells of failovers. The library would print them.
      client.on('error', () => undefined);
      return client;
    };
  }

  override connect(...args: Parameters<SentinelConnector['connect']>) {
    this.disconnect();
    return super.connect(...args);
  }
}
