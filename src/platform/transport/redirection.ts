import type { BuiltRequest } from '../request.ts';
import type { RawReply } from './transport.ts';

/** The code that the authorize step hands over in its redirection, and the state that comes back with it. */
export interface Redirection {
  readonly code?: string;
  readonly state?: string;
}

/** What a redirection is read from. */
type Redirected = Pick<RawReply, 'status'> & { readonly location?: string | undefined };

/**
 * Reads the code out of the redirection by which `authorizeCode` answers (specification: Authentication, 3). The redirection
 * itself is never followed: it leads to the application. Returns nothing for other replies, and for one without a code.
 */
export function readRedirection(
  { id, path }: Pick<BuiltRequest, 'id' | 'path'>,
  { status, location }: Redirected,
): Redirection {
  if (id !== 'authorizeCode' || status < 300 || status >= 400 || location === undefined) return {};
  // A Location may be relative to what was asked; only its query is read.
  const base = `http://platform${path}`;
  if (!URL.canParse(location, base)) return {};
  const { searchParams } = new URL(location, base);
  const code = searchParams.get('code');
  const state = searchParams.get('state');
  if (code === null || code === '') return {};
  return { code, ...(state === null ? {} : { state }) };
}

/** True where the state that came back is not the one that was sent: the code then answers another request. */
export function isForeignState({ query }: Pick<BuiltRequest, 'query'>, { state }: Redirection): boolean {
  return state !== undefined && new URLSearchParams(query).get('state') !== state;
}

/** Why a redirection of the authorize step is a failure, and what to do. Holds neither code nor state. */
export function whyNoCode(request: Pick<BuiltRequest, 'id' | 'path' | 'query'>, reply: Redirected): string {
  if (readRedirection(request, reply).code !== undefined)
    return 'its state is not the one that was sent, so its code belongs to another request; authorize again';
  const error = /[?&]error=([\w.-]{1,60})/.exec(reply.location ?? '')?.[1];
  return error === undefined
    ? 'it carries no code: a user has to authorize the application there, in a browser'
    : `the platform did not authorize the application (${error})`;
}
