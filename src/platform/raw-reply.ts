import { parse as parseLossless } from 'lossless-json';
import { parseJson } from './json/json.ts';
import type { RawReply } from './platform.ts';
import type { BuiltRequest } from './request.ts';
import { type Redirection, readRedirection } from './transport/redirection.ts';
import type { SentReply } from './transport/sender.ts';

/**
 * Returns what a person reads of a successful reply: body, status, Location, and the code of a redirection.
 */
export function readRawReply(request: BuiltRequest, body: unknown, reply: SentReply): RawReply {
  const redirection: Redirection = readRedirection(request, reply);
  return {
    status: reply.status,
    body: body === undefined ? undefined : parseDigits(reply.content.toString()),
    ...(reply.location === undefined ? {} : { location: reply.location }),
    ...redirection,
  };
}

/**
 * Parses JSON and keeps numbers as they were written. A text that only the lenient parser takes (bare NaN)
 * loses the decimals that a double does not hold.
 */
function parseDigits(text: string): unknown {
  try {
    return parseLossless(text, undefined, { onDuplicateKey: ({ newValue }) => newValue });
  } catch {
    return parseJson(text);
  }
}
