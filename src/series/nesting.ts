/** Levels of objects and lists that a value may have: what reads it later, a store or a person's program, may not manage more. */
export const MAX_LEVELS = 200;

/** True if lists and objects of a value lie in each other in more levels than `MAX_LEVELS`. It does not call itself: that would overflow. */
export function isNestedTooDeeply(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; depth <= MAX_LEVELS; depth += 1) {
    const inner: unknown[] = [];
    for (const each of level) {
      if (typeof each !== 'object' || each === null) continue;
      for (const part of Object.values(each)) if (typeof part === 'object' && part !== null) inner.push(part);
    }
    if (inner.length === 0) return false;
    level = inner;
  }
  return true;
}
