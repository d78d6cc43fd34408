const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const HEADER_VALUE = /^[\x20-\x7e]+$/;

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
