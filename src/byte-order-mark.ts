/**
 * Returns the encoding that the byte order mark of a text names. Returns undefined for a text without a mark
 * of UTF-16: a mark of UTF-8 needs no other encoding.
 */
export function encodingOfMark(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return undefined;
}
