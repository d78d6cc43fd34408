import { pipeline, Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { BodyTooLarge, MalformedReply } from '../failure.ts';

/** The bytes that are read of a reply that reports a failure: code and message stand in front. */
const MAX_ERROR_BYTES = 16 * 1024;
/** The most times that a reply may be compressed on its way. A reply with more is a bomb. */
const MAX_CODINGS = 2;
const [inflateMethod, methodBits] = [8, 0x0f] as const;

/** The bytes of a body as the platform wrote them, while they arrive. */
export class CollectedBody {
  readonly #maxBytes: number;
  readonly #isFailure: boolean;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;

  /** Takes the status of the reply. A body of a success that has more than `maxBytes` is refused. */
  constructor(status: number, maxBytes: number) {
    this.#isFailure = status >= 300;
    this.#maxBytes = maxBytes;
  }

  /**
   * Adds bytes. Returns true if no more are wanted: the reply reports a failure, and its beginning is read.
   * Throws `BodyTooLarge`.
   */
  add(chunk: Buffer): boolean {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (!this.#isFailure && this.#bytes > this.#maxBytes) throw new BodyTooLarge();
    return this.isCut;
  }

  /** True if the rest of the body is left unread. */
  get isCut(): boolean {
    return this.#isFailure && this.#bytes > MAX_ERROR_BYTES;
  }

  get content(): Buffer {
    const [first = Buffer.alloc(0)] = this.#chunks;
    const content = this.#chunks.length > 1 ? Buffer.concat(this.#chunks) : first;
    return this.isCut ? content.subarray(0, MAX_ERROR_BYTES) : content;
  }
}

/**
 * Lists the codings of a body that are to be undone. The coding that was applied last comes first. Throws
 * `MalformedReply` if there are too many.
 */
export function codingsOf(contentEncoding = ''): string[] {
  const codings = contentEncoding
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity');
  if (codings.length > MAX_CODINGS)
    throw new MalformedReply(`the reply was compressed ${codings.length} times; check the gateways`);
  return codings.reverse();
}

/**
 * Unpacks a body while it arrives, so that its size is known before it takes memory. A gateway may compress a
 * body, even if the request asks for none. Throws `MalformedReply` for an unknown coding. Throws the error of
 * zlib or of the connection.
 */
export function unpack(body: AsyncIterable<Buffer>, codings: readonly string[]): AsyncIterable<Buffer> {
  return codings.reduce((packed, coding) => undo(packed, coding), body);
}

async function* undo(packed: AsyncIterable<Buffer>, coding: string): AsyncGenerator<Buffer> {
  const chunks = packed[Symbol.asyncIterator]();
  try {
    const first = await chunks.next();
    if (first.done) return;
    const source = Readable.from(follow(first.value, chunks), { objectMode: false });
    // Errors of both streams come out of the last one.
    yield* pipeline(source, createDecoder(coding, first.value), () => undefined);
  } finally {
    await chunks.return?.();
  }
}

async function* follow(first: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}

function createDecoder(coding: string, first: Buffer) {
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'br':
      return createBrotliDecompress();
    case 'deflate':
      // Some servers send the data without the header of zlib.
      return ((first[0] ?? 0) & methodBits) === inflateMethod ? createInflate() : createInflateRaw();
    default:
      throw new MalformedReply(
        'the reply is compressed in a way that plantsync does not know; let the gateway send it as gzip or as it is',
      );
  }
}
