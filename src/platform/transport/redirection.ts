import type { BuiltRequest } from '../request.ts';
import type { RawReply } from './exchange.ts';

/**
 * The code that the authorize step hands over in its redirection, and the state that comes back with the
 * code.
 */
export interface Redirection {
  readonly code?: string;
  readonly state?: string;
}

/** The parts of a reply from which a redirection is read. */
type Redirected = Pick<RawReply, 'status'> & { readonly location?: string | undefined };

/**
 * Reads the code out of the redirection by which `authorizeCode` answers (specification: Authentication, 3).
 * Returns an empty object for other replies, and for a redirection without a code. The redirection itself is
 * never followed, since it leads to the application.
 */
export function readRedirection(
  { id, path }: Pick<BuiltRequest, 'id' | 'path'>,
  { status, location }: Redirected,
): Redirection {
  if (id !== 'authorizeCode' || status < 300 || status >= 400 || location === undefined) return {};
  // A Location may be relative to the path of the request. Only its query is read.
  const base = `http://platform${path}`;
  if (!URL.canParse(location, base)) return {};
  const { searchParams } = new URL(location, base);
  const code = searchParams.get('code');
  const state = searchParams.get('state');
  if (code === null || code === '') return {};
  return { code, ...(state === null ? {} : { state }) };
}

/**
 * Returns true if the state that came back is not the one that was sent. The code then answers another
 * request.
 */
export function isForeignState({ query }: Pick<BuiltRequest, 'query'>, { state }: Redirection): boolean {
  return state !== undefined && new URLSearchParams(query).get('state') !== state;
}

/**
 * Returns why a redirection of the authorize step is a failure, and what to do. The text holds neither code
 * nor state.
 */
export function whyNoCode(request: Pick<BuiltRequest, 'id' | 'path' | 'query'>, reply: Redirected): string {
  if (readRedirection(request, reply).code !== undefined)
    return 'the state of the redirection is not the one that was sent, so its code belongs to another request; authorize again';
  const error = /[?&]error=([\w.-]{1,60})/.exec(reply.location ?? '')?.[1];
  return error === undefined
    ? 'the redirection carries no code: a user has to authorize the application there, in a browser'
    : `the platform did not authorize the application (${error})`;
}
