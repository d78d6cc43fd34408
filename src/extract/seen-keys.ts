/** Parts of the table: one that grew as a whole would stand still for its own rearrangement. */
const PARTS = 256;

/** Which page of a list brought a key first. */
export class SeenKeys {
  readonly #parts = Array.from({ length: PARTS }, () => new Map<string, number>());

  /** Notes a key of a page; answers the page that brought it first, which is this one for a new key or one of its own. */
  note(key: string, page: number): { readonly firstPage: number; readonly isNew: boolean } {
    const part = this.#parts[partOf(key)] as Map<string, number>;
    const firstPage = part.get(key);
    if (firstPage !== undefined) return { firstPage, isNew: false };
    part.set(key, page);
    return { firstPage: page, isNew: true };
  }
}

/** Keys mostly differ in their last characters. */
function partOf(key: string): number {
  let hash = 0;
  for (let at = Math.max(0, key.length - 8); at < key.length; at += 1)
    hash = (hash * 31 + key.charCodeAt(at)) | 0;
  return (hash >>> 0) % PARTS;
}
