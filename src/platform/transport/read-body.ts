import { pipeline, Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { BodyTooLarge, MalformedReply } from '../failure.ts';

/** The bytes that are read of a reply that reports a failure: code and message stand in front. */
const MAX_ERROR_BYTES = 16 * 1024;
/** The most times that a reply may be compressed on its way. A reply with more is a bomb. */
const MAX_CODINGS = 2;
const [inflateMethod, methodBits] = [8, 0x0f] as const;

/** The headers of a reply that say how its body is read, and the limit of its size. */
export interface BodyLimits {
  readonly status: number;
  readonly contentEncoding: string | undefined;
  /** A larger body of a success is refused. */
  readonly maxBytes: number;
}

/** The bytes of a body as the platform wrote them. */
export interface Body {
  readonly content: Buffer;
  /** True if the rest of the body was left unread. */
  readonly isCut: boolean;
}

/**
 * Reads the body of a reply. A gateway may compress the body, even if the request asks for none. It is
 * unpacked while it arrives, so that its size is known before it takes memory. If the reply reports a
 * failure, only the beginning is read, and the connection ends. Throws `BodyTooLarge`, `MalformedReply` if
 * the compression is unknown or was applied too often, or the error of zlib or of the connection.
 */
export async function readBody(
  body: AsyncIterable<Buffer>,
  { status, contentEncoding, maxBytes }: BodyLimits,
): Promise<Body> {
  const isFailure = status >= 300;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of unpack(body, codingsOf(contentEncoding))) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (isFailure && bytes > MAX_ERROR_BYTES)
      return { content: Buffer.concat(chunks).subarray(0, MAX_ERROR_BYTES), isCut: true };
    if (bytes > maxBytes) throw new BodyTooLarge();
  }
  return { content: Buffer.concat(chunks), isCut: false };
}

/** Lists the codings to undo. The coding that was applied last comes first. */
function codingsOf(contentEncoding = ''): string[] {
  const codings = contentEncoding
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity');
  if (codings.length > MAX_CODINGS)
    throw new MalformedReply(`the reply was compressed ${codings.length} times; check the gateways`);
  return codings.reverse();
}

function unpack(body: AsyncIterable<Buffer>, codings: readonly string[]): AsyncIterable<Buffer> {
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
