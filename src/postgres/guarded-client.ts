import { Client } from 'pg';
import type { ServerConfig } from './client-config.ts';
import { offersTls } from './tls-offer.ts';

type Connected = (error: Error | null, client?: Client) => void;

/** A client of `pg` that cannot end the process and leaves no connection behind. */
export class GuardedClient extends Client {
  readonly #config: ServerConfig;

  /** `onLost` hears of a connection that breaks while nobody waits for a reply; unheard, that would end the process. */
  constructor(config: ServerConfig, onLost: (error: Error) => void) {
    super(config);
    this.#config = config;
    this.on('error', onLost);
  }

  /** Ends the connection at once, whatever it is at; what waits for a reply fails. */
  breakConnection(): void {
    this.connection.stream.destroy();
  }

  override connect(): Promise<Client>;
  override connect(callback: Connected): void;
  /** A login that fails on our side (no password, say) would leave the server waiting and our process alive for a minute. */
  override connect(callback?: Connected): Promise<Client> | undefined {
    const connected = this.#connectAsPreferred().catch((error: unknown) => {
      this.breakConnection();
      throw error;
    });
    if (callback === undefined) return connected;
    connected.then((client) => callback(null, client), callback);
    return undefined;
  }

  async #connectAsPreferred(): Promise<Client> {
    const { prefersTls, connectionTimeoutMillis = 0 } = this.#config;
    // The driver decides at the beginning, and gives up where the server then has no TLS.
    if (prefersTls && !(await offersTls(this, connectionTimeoutMillis))) {
      const plain: { ssl: unknown } = this.connection as never;
      plain.ssl = false;
      (this as { ssl: unknown }).ssl = false;
    }
    return super.connect();
  }
}
