import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { AttemptTimeout } from '../failure.ts';
import { CollectedBody, codingsOf, unpack } from './read-body.ts';

/** A reply of the platform: all of it, or the beginning if the reply reports a failure. */
export interface RawReply {
  readonly status: number;
  /** The body in UTF-8, without a mark of byte order. */
  readonly content: Buffer;
  /** True if only the beginning was read, since the reply reports a failure. */
  readonly isCut: boolean;
  /** Bytes that were read of the body. If the body came compressed, these are the unpacked ones. */
  readonly bytes: number;
  readonly contentType: string;
  readonly retryAfter: string | undefined;
  readonly date: string | undefined;
  readonly location: string | undefined;
}

/** How long a reply may take, and the signal that ends the wait for it. */
export interface SendOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

type Headers = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2];

const byteOrderMark = Buffer.from('\uFEFF');

/**
 * One request and its reply, as undici tells of it. The exchange ends with the reply, at a failure, when the
 * time is up, or when the signal aborts. It stands below `request` of undici, whose streams and signals cost
 * more than reading a short reply.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  /** Rejects with undici's or the system's error, `AttemptTimeout`, or the signal's reason. */
  readonly reply: Promise<RawReply>;
  readonly #maxBytes: number;
  readonly #signal: AbortSignal;
  readonly #timer: NodeJS.Timeout;
  readonly #follow = (): void => this.#fail(this.#signal.reason);
  #resolve!: (reply: RawReply) => void;
  #reject!: (reason: unknown) => void;
  #controller: Dispatcher.DispatchController | undefined;
  /** Why the reply is not wanted any more. */
  #failure: { readonly reason: unknown } | undefined;
  #status = 0;
  #headers: Headers = {};
  #body: CollectedBody | undefined;
  /** The bytes of a body that came compressed. */
  #packed: Readable | undefined;

  constructor({ signal, timeoutMs }: SendOptions, maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#signal = signal;
    this.reply = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#timer = setTimeout(() => {
      this.#fail(new AttemptTimeout(`no complete reply within ${Math.round(timeoutMs / 100) / 10} s`));
    }, timeoutMs);
    signal.addEventListener('abort', this.#follow, { once: true });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#failure !== undefined) controller.abort(this.#failure.reason as Error);
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: Headers): void {
    // A reply such as 103 comes before the reply that counts.
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
    this.#body = new CollectedBody(status, this.#maxBytes);
    const codings = codingsOf(headerOf(headers, 'content-encoding'));
    if (codings.length === 0) return;
    const packed = new Readable({ read: () => controller.resume() });
    this.#packed = packed;
    this.#unpack(packed, codings).catch((error: unknown) => this.#fail(error));
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#packed === undefined) {
      if (this.#body?.add(chunk)) this.#finish();
    } else if (!this.#packed.push(chunk)) controller.pause();
  }

  onResponseEnd(): void {
    if (this.#packed === undefined) this.#finish();
    else this.#packed.push(null);
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.#fail(error);
  }

  async #unpack(packed: Readable, codings: readonly string[]): Promise<void> {
    for await (const chunk of unpack(packed, codings)) if (this.#body?.add(chunk)) break;
    this.#finish();
  }

  #finish(): void {
    const { content = Buffer.alloc(0), isCut = false } = this.#body ?? {};
    const read = (name: string) => headerOf(this.#headers, name);
    this.#resolve({
      status: this.#status,
      content: content.subarray(0, byteOrderMark.length).equals(byteOrderMark)
        ? content.subarray(byteOrderMark.length)
        : content,
      isCut,
      bytes: content.length,
      contentType: read('content-type') ?? '',
      retryAfter: read('retry-after'),
      date: read('date'),
      location: read('location'),
    });
    this.#leave();
    // The connection of a reply that was left unread cannot serve another request.
    if (isCut) this.#controller?.abort(new Error('enough of the reply was read'));
  }

  #fail(reason: unknown): void {
    this.#failure = { reason };
    this.#reject(reason);
    this.#leave();
    this.#packed?.destroy();
    this.#controller?.abort(reason as Error);
  }

  #leave(): void {
    clearTimeout(this.#timer);
    this.#signal.removeEventListener('abort', this.#follow);
  }
}

function headerOf(headers: Headers, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}
