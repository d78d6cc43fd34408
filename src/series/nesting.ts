/**
 * Most levels of objects and lists that a value may have. A store or a program that reads the value may not
 * manage more.
 */
export const MAX_LEVELS = 200;

/**
 * Returns true if lists and objects of a value are nested in more levels than `MAX_LEVELS`. The function is a
 * loop, because recursion would overflow the stack.
 */
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
