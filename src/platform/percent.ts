/**
 * Percent-encodes everything but RFC 3986's unreserved characters. Dots are encoded where they are the whole
 * segment, and a half surrogate pair, which no URL can hold, becomes U+FFFD.
 */
export function encodeText(text: string): string {
  if (text === '.' || text === '..') return text.replaceAll('.', '%2E');
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\uFFFD')).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
