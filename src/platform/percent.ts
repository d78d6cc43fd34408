/** Most names: looking at the characters costs a tenth of encoding them. */
const unreservedOnly = /^[\w~-][\w.~-]*$/;

/**
 * Percent-encodes all characters but the unreserved ones of RFC 3986. Dots are encoded if they are the whole
 * segment. A half surrogate pair, which no URL can hold, becomes U+FFFD.
 */
export function encodeText(text: string): string {
  if (unreservedOnly.test(text)) return text;
  if (text === '.' || text === '..') return text.replaceAll('.', '%2E');
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\uFFFD')).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
