/**
 * The table is kept in at most this many parts. A single large table would block the process whenever it
 * grows. Most lists are short, so a part is made when its first key comes.
 */
const PARTS = 256;

/** Remembers which page of a list brought each key first. */
export class SeenKeys {
  readonly #parts: (Map<string, number> | undefined)[] = [];

  /**
   * Notes a key of a page. Returns the page that brought the key first, and whether the key is new. A new
   * key's first page is this page.
   */
  note(key: string, page: number): { readonly firstPage: number; readonly isNew: boolean } {
    const at = partOf(key);
    this.#parts[at] ??= new Map();
    const part = this.#parts[at];
    const firstPage = part.get(key);
    if (firstPage !== undefined) return { firstPage, isNew: false };
    part.set(key, page);
    return { firstPage: page, isNew: true };
  }
}

/** Returns the part for a key. Keys mostly differ in their last characters, so these choose the part. */
function partOf(key: string): number {
  let hash = 0;
  for (let at = Math.max(0, key.length - 8); at < key.length; at += 1)
    hash = (hash * 31 + key.charCodeAt(at)) | 0;
  return (hash >>> 0) % PARTS;
}
