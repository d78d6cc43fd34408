import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';

const PIECES = 10;

/** Announces the whole body, sends half of it and breaks the connection. */
export function sendCut(reply: FastifyReply, text: string | Buffer): FastifyReply {
  const body = bytesOf(text);
  reply.header('content-length', body.length);
  async function* half() {
    yield body.subarray(0, Math.floor(body.length / 2));
    // The pause lets the half reach the client before the connection breaks.
    await sleep(20);
    reply.raw.destroy();
  }
  return reply.send(Readable.from(half()));
}

/** Sends the body in ten pieces, spread over `durationMs`. */
export function sendSlowly(reply: FastifyReply, text: string | Buffer, durationMs: number): FastifyReply {
  const body = bytesOf(text);
  reply.header('content-length', body.length);
  async function* inPieces() {
    const size = Math.max(1, Math.ceil(body.length / PIECES));
    for (let from = 0; from < body.length; from += size) {
      await sleep(durationMs / PIECES, undefined, { ref: false });
      yield body.subarray(from, from + size);
    }
  }
  return reply.send(Readable.from(inPieces()));
}

function bytesOf(text: string | Buffer): Buffer {
  return typeof text === 'string' ? Buffer.from(text) : text;
}
