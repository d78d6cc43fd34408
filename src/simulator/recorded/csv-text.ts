import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { encodingOfMark } from '../../byte-order-mark.ts';

/** The file cannot be decoded. */
export class EncodingError extends Error {}

const SAMPLE_BYTES = 65_536;

/** Finds the encoding of a file and decodes its beginning. A byte-order mark counts more than `wanted`. */
export async function readSample(
  path: string,
  wanted = 'utf-8',
): Promise<{ encoding: string; text: string }> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(SAMPLE_BYTES), 0, SAMPLE_BYTES, 0);
    const bytes = buffer.subarray(0, bytesRead);
    const encoding = encodingOfMark(bytes) ?? wanted;
    return { encoding, text: new TextDecoder(encoding).decode(bytes, { stream: true }) };
  } catch (error) {
    if (error instanceof RangeError)
      throw new EncodingError(`there is no encoding ${wanted}; try utf-8, utf-16le or gbk`);
    throw error;
  } finally {
    await file.close();
  }
}

/**
 * Decodes a file piece by piece. Throws an `EncodingError` at the first byte that the encoding does not have.
 */
export async function* decodeFile(path: string, encoding: string): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  const decode = (chunk?: Buffer) => {
    try {
      return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode();
    } catch {
      const hint = encoding === 'utf-8' ? '; a file of a Chinese Excel needs --replay-encoding gbk' : '';
      throw new EncodingError(`holds bytes that are not ${encoding}${hint}`);
    }
  };
  for await (const chunk of createReadStream(path)) yield decode(chunk as Buffer);
  yield decode();
}
