import { type SentinelConnectionOptions, SentinelConnector } from 'ioredis';

/**
 * Asks sentinels for the master, and hears of the next one. What listens for a failover belongs to one
 * connection and ends with it. The base class lets it listen on: a failover that it hears of while a client
 * asks for the master ends the client for ever.
 */
export class SteadySentinelConnector extends SentinelConnector {
  /** The client hands its own options over, which it does not type. */
  constructor(options: unknown) {
    super(options as SentinelConnectionOptions);
  }

  override connect(...args: Parameters<SentinelConnector['connect']>) {
    this.disconnect();
    return super.connect(...args);
  }
}
