import type { Readable } from 'node:stream';
import type { z } from 'zod';
import type { ApiContext } from './api-context.ts';

/** What a handler gets: the checked parts of the request. */
export interface ApiInput<Params, Query, Body> {
  /** The named parts of the path, such as `id`. */
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** Is aborted when the client goes away, or when the service ends. */
  readonly signal: AbortSignal;
}

/** An answer that is not JSON, such as a file of CSV. */
export class ApiFile {
  constructor(
    /** Media type, such as `text/csv; charset=utf-8`. */
    readonly type: string,
    readonly content: string | Readable,
    /** Name under which a browser saves the file. Without a name the browser shows the content. */
    readonly fileName?: string,
  ) {}
}

export type Method = 'get' | 'post' | 'delete';

/** One operation of the API, as the server and the OpenAPI document read it. */
export interface ApiRoute {
  readonly method: Method;
  /** Path below `/api/v1`, with named parts in braces: `/runs/{id}`. */
  readonly path: `/${string}`;
  /** The name of the operation, unique in the API: `listRuns`. */
  readonly id: string;
  /** One sentence that says what the operation does. */
  readonly summary: string;
  readonly params: z.ZodType | undefined;
  readonly query: z.ZodType | undefined;
  readonly body: z.ZodType | undefined;
  readonly reply: z.ZodType;
  /** Media types of answers besides JSON. */
  readonly files: readonly string[];
  /** Whether the operation changes anything. `console.readOnly` refuses it. */
  readonly writes: boolean;
  handle(ctx: ApiContext, input: ApiInput<never, never, never>): Promise<unknown>;
}

/** An operation with the types of its parts. Parts that are not given do not exist. */
export interface RouteDefinition<
  Params extends z.ZodType | undefined,
  Query extends z.ZodType | undefined,
  Body extends z.ZodType | undefined,
  Reply extends z.ZodType,
> {
  readonly method: Method;
  readonly path: ApiRoute['path'];
  readonly id: string;
  readonly summary: string;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  readonly reply: Reply;
  readonly files?: readonly string[];
  /** Reads by `post` set this to false. All others that are not `get` write. */
  readonly writes?: boolean;
  handle(
    ctx: ApiContext,
    input: ApiInput<Checked<Params>, Checked<Query>, Checked<Body>>,
  ): Promise<z.input<Reply> | ApiFile>;
}

type Checked<T extends z.ZodType | undefined> = T extends z.ZodType ? z.output<T> : undefined;

/** Defines an operation of the API. */
export function route<
  Reply extends z.ZodType,
  Params extends z.ZodType | undefined = undefined,
  Query extends z.ZodType | undefined = undefined,
  Body extends z.ZodType | undefined = undefined,
>(definition: RouteDefinition<Params, Query, Body, Reply>): ApiRoute {
  const { params, query, body, files = [], writes = definition.method !== 'get' } = definition;
  return { ...definition, params, query, body, files, writes } as unknown as ApiRoute;
}
