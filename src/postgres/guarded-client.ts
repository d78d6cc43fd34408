import { Client, type DatabaseError } from 'pg';
import type { ServerConfig } from './client-config.ts';
import type { ServerPlace } from './server-list.ts';
import { offersTls } from './tls-offer.ts';

type Connected = (error: Error | null, client?: Client) => void;

export interface ClientHooks {
  /** Returns the server to connect to. */
  choosePlace(): Promise<ServerPlace>;
  /** Makes the error of a connection that could not be made. */
  onFailed(error: unknown, place: ServerPlace): Error;
  /**
   * Is called if a connection breaks that nobody ends, while nobody waits for a reply. Without a listener,
   * that would end the process.
   */
  onLost(error: Error, place: ServerPlace): void;
  /** Is called with each error that the server sends. */
  onServerError(error: DatabaseError, place: ServerPlace): void;
}

/** A client of `pg` that cannot end the process and leaves no connection behind. */
export class GuardedClient extends Client {
  readonly #config: ServerConfig;
  readonly #hooks: ClientHooks;
  #ending: Promise<void> | undefined;
  #isBroken = false;
  /** The history of the server, from the moment on when the session may be used. */
  history: string | undefined;

  constructor(config: ServerConfig, hooks: ClientHooks) {
    super(config);
    this.#config = config;
    this.#hooks = hooks;
    this.on('error', (error) => {
      // A server that stops may say so to a connection that is ending. Nothing is lost then.
      if (this.#ending === undefined && !this.#isBroken) hooks.onLost(error, this.place);
    });
    this.connection.on('errorMessage', (error) => hooks.onServerError(error, this.place));
  }

  /** The server of this connection. */
  get place(): ServerPlace {
    return { host: this.host, port: this.port };
  }

  /** Ends the connection at once, whatever it does. A statement that waits for a reply fails. */
  breakConnection(): void {
    this.#isBroken = true;
    this.connection.stream.destroy();
  }

  /** Resolves after the connection has come to its end. Undefined if nobody has told it to end. */
  get ending(): Promise<void> | undefined {
    return this.#ending;
  }

  override end(): Promise<void>;
  override end(callback: (error: Error) => void): void;
  override end(callback?: (error: Error) => void): Promise<void> | undefined {
    this.#ending ??= super.end();
    if (callback === undefined) return this.#ending;
    this.#ending.then(callback as () => void);
    return undefined;
  }

  override connect(): Promise<Client>;
  override connect(callback: Connected): void;
  /**
   * Connects, and breaks the connection if the login fails on our side (no password, say). Otherwise the
   * server would wait, and the process live on, for a minute.
   */
  override connect(callback?: Connected): Promise<Client> | undefined {
    const connected = this.#connectAsPreferred().catch((error: unknown) => {
      this.breakConnection();
      throw this.#hooks.onFailed(error, this.place);
    });
    if (callback === undefined) return connected;
    connected.then((client) => callback(null, client), callback);
    return undefined;
  }

  async #connectAsPreferred(): Promise<Client> {
    const { prefersTls, connectionTimeoutMillis = 0 } = this.#config;
    // The driver connects to the host and port of the client. It compares the certificate with this host too.
    Object.assign(this, await this.#hooks.choosePlace());
    // The driver decides for TLS at the beginning, and gives up if the server then has no TLS.
    if (prefersTls && !(await offersTls(this, connectionTimeoutMillis))) {
      const plain: { ssl: unknown } = this.connection as never;
      plain.ssl = false;
      (this as { ssl: unknown }).ssl = false;
    }
    return super.connect();
  }
}
