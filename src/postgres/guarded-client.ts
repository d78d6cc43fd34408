import { Client, type ClientConfig } from 'pg';

type Connected = (error: Error | null, client?: Client) => void;

/** A client of `pg` that cannot end the process and leaves no connection behind. */
export class GuardedClient extends Client {
  /** `onLost` hears of a connection that breaks while nobody waits for a reply; unheard, that would end the process. */
  constructor(config: ClientConfig, onLost: (error: Error) => void) {
    super(config);
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
    const connected = super.connect().catch((error: unknown) => {
      this.breakConnection();
      throw error;
    });
    if (callback === undefined) return connected;
    connected.then((client) => callback(null, client), callback);
    return undefined;
  }
}
