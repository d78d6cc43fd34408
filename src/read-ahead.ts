/**
 * Passes on the items of a source. While one item is used, the source already makes the next one. At most two
 * items are in memory.
 */
export async function* readAhead<Item>(source: AsyncIterable<Item>): AsyncGenerator<Item> {
  const items = source[Symbol.asyncIterator]();
  const begin = () => {
    const next = items.next();
    // The error is thrown where the item is awaited, which may never be.
    next.catch(() => undefined);
    return next;
  };
  let next = begin();
  try {
    for (;;) {
      const { value, done } = await next;
      if (done) return;
      next = begin();
      yield value;
    }
  } finally {
    await items.return?.();
  }
}
