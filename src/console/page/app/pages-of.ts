import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type Answer, ApiError, ask } from './api.ts';

interface Page<T> {
  readonly items: readonly T[];
  readonly next?: string | undefined;
}

/** A list that comes in pages. `more` reads the next page; undefined if there is none. */
export interface Paged<T> extends Answer<readonly T[]> {
  readonly more: (() => void) | undefined;
}

/**
 * Reads a list page by page. `path` has a query already. With `everyMs` the first page is read again while
 * nobody has asked for more.
 */
export function usePages<T>(path: string, { everyMs }: { everyMs?: number } = {}): Paged<T> {
  interface State extends Omit<Answer<readonly T[]>, 'reload'> {
    readonly path: string;
    readonly next?: string | undefined;
    readonly pages: number;
  }
  const empty: State = { path, data: undefined, problem: undefined, isLoading: true, pages: 0 };
  const [state, setState] = useState<State>(empty);
  const asking = useRef<AbortController | undefined>(undefined);
  const read = useCallback(
    (after: string | undefined) => {
      asking.current?.abort();
      const controller = new AbortController();
      asking.current = controller;
      setState((before) => (before.path === path ? { ...before, isLoading: true } : empty));
      const behind = after === undefined ? path : `${path}&after=${encodeURIComponent(after)}`;
      ask<Page<T>>(behind, { signal: controller.signal }).then(
        ({ items, next }) =>
          controller.signal.aborted ||
          setState((before) => ({
            ...{ path, next, problem: undefined, isLoading: false },
            data: after === undefined ? items : [...(before.data ?? []), ...items],
            pages: after === undefined ? 1 : before.pages + 1,
          })),
        (error: unknown) => {
          if (controller.signal.aborted) return;
          const problem =
            error instanceof ApiError ? error.problem : { code: 'page.fault', message: String(error) };
          setState((before) => ({ ...before, path, problem, isLoading: false }));
        },
      );
    },
    [path],
  );
  useEffect(() => {
    read(undefined);
    return () => asking.current?.abort();
  }, [read]);
  const isFirst = state.pages <= 1;
  useEffect(() => {
    if (everyMs === undefined || !isFirst) return undefined;
    const timer = setInterval(() => document.hidden || read(undefined), everyMs);
    return () => clearInterval(timer);
  }, [everyMs, isFirst, read]);
  const { next, isLoading } = state;
  const isOurs = state.path === path;
  return {
    ...{ problem: state.problem, isLoading, data: isOurs ? state.data : undefined },
    reload: () => read(undefined),
    more: !isOurs || next === undefined || isLoading ? undefined : () => read(next),
  };
}
