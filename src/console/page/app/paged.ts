import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { type Answer, ask, type UseApiOptions, useApi, withQuery } from './api.ts';

/** A page of a list. `next` is asked for to get the page after it. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly next?: string | undefined;
}

/** A list of which more is read when somebody asks for it. */
export interface Paged<T, P extends Page<T>> {
  /** The first page, which stays fresh until more was read. */
  readonly answer: Answer<P>;
  /** The items of all pages that were read. */
  readonly items: readonly T[];
  /** Reads the next page. Undefined on the last one. */
  readonly more: (() => Promise<void>) | undefined;
}

/**
 * Reads a list page by page. An item that moved to an earlier page is shown once. Once more was read, the
 * first page stands still: what newer items push out of it would be on no page.
 */
export function usePaged<T, P extends Page<T>>(
  path: string,
  keyOf: (item: T) => string | number,
  options: UseApiOptions = {},
): Paged<T, P> {
  const [later, setLater] = useState<{ path: string; pages: readonly Page<T>[] }>({ path, pages: [] });
  useEffect(() => setLater({ path, pages: [] }), [path]);
  const pages = later.path === path ? later.pages : [];
  const answer = useApi<P>(path, pages.length === 0 ? options : {});
  const first = answer.data;
  const all = [...(first?.items ?? []), ...pages.flatMap(({ items }) => items)];
  const next = pages.length > 0 ? pages.at(-1)?.next : first?.next;
  const more = async () => {
    const page = await ask<Page<T>>(withQuery(path, { after: next }));
    setLater({ path, pages: [...pages, page] });
  };
  const once = [...new Map(all.map((item) => [keyOf(item), item])).values()];
  return { answer, items: once, more: next === undefined ? undefined : more };
}

/** The filters of a page, which stand in its address so that it can be passed on. */
export function useFilters(): {
  readonly filters: Readonly<Record<string, string>>;
  set(name: string, value: string): void;
} {
  const { path, query, route } = useLocation();
  return {
    filters: query,
    set: (name, value) => route(withQuery(path, { ...query, [name]: value }), true),
  };
}
