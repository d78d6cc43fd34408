import { z } from 'zod';
import { text } from './fields.ts';

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const HEADER_VALUE = /^[\x20-\x7e]+$/;

/** An option with headers, such as `authorization=Bearer%20abc`. Its value is a map of names to values. */
export function headers() {
  return text().transform((value, context) => {
    const parsed = parseHeaders(value);
    if (parsed === undefined)
      context.addIssue('must be pairs such as authorization=Bearer%20abc, with a comma between them');
    return parsed ?? z.NEVER;
  });
}

/**
 * Parses headers as OpenTelemetry writes them: `name=value` with percent-encoded values, and commas between
 * them. Returns undefined for any other text.
 */
export function parseHeaders(value: string): Record<string, string> | undefined {
  const headers: Record<string, string> = {};
  for (const pair of value.split(',')) {
    const [, name = '', encoded = ''] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/s.exec(pair) ?? [];
    const decoded = decode(encoded);
    if (!HEADER_NAME.test(name) || !HEADER_VALUE.test(decoded)) return undefined;
    headers[name.toLowerCase()] = decoded;
  }
  return headers;
}

function decode(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch (error) {
    if (error instanceof URIError) return encoded;
    throw error;
  }
}
