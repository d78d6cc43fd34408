import { signal } from '@preact/signals';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { onChange, type Topic } from './live.ts';

/** What the API says of a request that failed. */
export interface ApiProblem {
  /** A code of docs/errors.md, or `page.offline` if nothing answered. */
  readonly code: string;
  readonly message: string;
  readonly problems?: readonly string[];
}

export class ApiError extends Error {
  constructor(readonly problem: ApiProblem) {
    super([problem.message, ...(problem.problems ?? [])].join('\n'));
  }
}

/** Returns what is known of a failure. */
export const problemOf = (error: unknown): ApiProblem =>
  error instanceof ApiError ? error.problem : { code: 'page.fault', message: String(error) };

/** Whether the console asks this browser to sign in. Undefined until it has been asked. */
export const mustSignIn = signal<boolean | undefined>(undefined);

/** Asks the API. `path` begins behind `/api/v1`. Throws an `ApiError` with what the console said. */
export async function ask<T>(
  path: string,
  options: RequestInit & { readonly json?: unknown } = {},
): Promise<T> {
  const { json, ...rest } = options;
  const body =
    json === undefined ? {} : { body: JSON.stringify(json), headers: { 'content-type': 'application/json' } };
  let reply: Response;
  try {
    reply = await fetch(`/api/v1${path}`, { ...rest, ...body });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new ApiError({ code: 'page.offline', message: String(error) });
  }
  if (reply.ok) return (await reply.json()) as T;
  const said = (await reply.json().catch(() => ({}))) as { error?: ApiProblem };
  const problem = said.error ?? { code: 'page.offline', message: `${reply.status} ${reply.statusText}` };
  if (problem.code === 'console.not_signed_in') mustSignIn.value = true;
  throw new ApiError(problem);
}

export const post = <T>(path: string, json: unknown = {}): Promise<T> =>
  ask<T>(path, { method: 'POST', json });

/** Writes parameters behind a path. Those that are undefined or empty are left out. */
export function withQuery(
  path: string,
  query: Readonly<Record<string, string | number | boolean | undefined>>,
): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  if (text === '') return path;
  return `${path}${path.includes('?') ? '&' : '?'}${text}`;
}

/**
 * What is known of an answer. The last data stay while newer ones are asked for, or while nothing answers.
 */
export interface Answer<T> {
  readonly data: T | undefined;
  readonly problem: ApiProblem | undefined;
  readonly isLoading: boolean;
  reload(): void;
}

export interface UseApiOptions {
  /** Asks again when one of these changes. */
  readonly topics?: readonly Topic[];
  /** Asks again after this time. */
  readonly everyMs?: number;
}

/** Asks the API and keeps the answer fresh while the page is seen. Undefined asks nothing. */
export function useApi<T>(path: string | undefined, options: UseApiOptions = {}): Answer<T> {
  const [answer, setAnswer] = useState<{ path?: string; data?: T; problem?: ApiProblem; isLoading: boolean }>(
    {
      isLoading: path !== undefined,
    },
  );
  const latest = useRef(0);
  const asking = useRef<AbortController | undefined>(undefined);
  const reload = useCallback(() => {
    if (path === undefined) return;
    const number = ++latest.current;
    asking.current?.abort();
    const controller = new AbortController();
    asking.current = controller;
    setAnswer((before) => ({ ...before, isLoading: true }));
    ask<T>(path, { signal: controller.signal }).then(
      (data) => number === latest.current && setAnswer({ path, data, isLoading: false }),
      (error: unknown) => {
        if (number !== latest.current || controller.signal.aborted) return;
        setAnswer(({ isLoading: _, ...before }) => ({
          ...before,
          problem: problemOf(error),
          isLoading: false,
        }));
      },
    );
  }, [path]);
  useEffect(() => {
    reload();
    return () => asking.current?.abort();
  }, [reload]);
  const topics = (options.topics ?? []).join(' ');
  useEffect(
    () => (topics === '' ? undefined : onChange(topics.split(' ') as Topic[], reload)),
    [topics, reload],
  );
  useEffect(() => {
    if (options.everyMs === undefined) return undefined;
    const timer = setInterval(() => document.hidden || reload(), options.everyMs);
    return () => clearInterval(timer);
  }, [options.everyMs, reload]);
  // The data of another path are never shown for this one.
  const isOurs = answer.path === path;
  return {
    data: isOurs ? answer.data : undefined,
    problem: answer.problem,
    isLoading: answer.isLoading,
    reload,
  };
}
