import { retryAfterMs } from '../backoff.ts';
import { Breaks } from '../breaks.ts';
import { codeOf, complaintIn, isSuccess } from './complaint.ts';
import { cutMessage, isCutIn, parseBeginning } from './error-text.ts';
import { type Failure, MalformedReply } from './failure.ts';
import { parseHistoryJson, parseLargeHistoryJson } from './history/history-json.ts';
import { isObject } from './json/is-object.ts';
import { parseJson } from './json/json.ts';
import { parseLargeJson } from './json/large-json.ts';
import type { OperationId } from './operations.ts';
import { classifyRefusal, type Said } from './refusal.ts';
import type { BuiltRequest } from './request.ts';
import { isForeignState, readRedirection } from './transport/redirection.ts';
import type { RawReply } from './transport/transport.ts';

/** The built-in parser reads a reply of this size within a moment. */
const LARGE_BYTES = 256 * 1024;
/** Of a reply that cannot be read, so much is looked at to say what it is. */
const MAX_LOOKED_AT = 4_096;

/** The member that tells a successful reply with a `code` of its own from an error body with status 200. */
const expectedMember: Partial<Record<OperationId, string>> = {
  getClientAccessToken: 'accessToken',
  refreshClientToken: 'accessToken',
  getCodeAccessToken: 'accessToken',
  refreshCodeToken: 'accessToken',
  getTokenUsername: 'userName',
  getHealth: 'result',
  listCurrentAlarms: 'list',
  getNetwork: 'children',
  getObject: 'name',
  getOrg: 'name',
  getOrgNode: 'name',
  getPerson: 'name',
  getUser: 'username',
  readCurrent: 'data',
  readHistory: 'results',
};

/**
 * Reads a complete reply: the parsed body of a success (undefined where the operation has none), or the failure that it
 * means. Throws `MalformedReply` for a success that is not JSON although the operation has a body.
 */
export function readReply(
  request: BuiltRequest,
  reply: RawReply,
  { nowMs, parse = parseText }: { readonly nowMs: number; readonly parse?: ParseBody | undefined },
): { readonly body: unknown } | { readonly failure: Failure } {
  const redirection = readRedirection(request, reply);
  if (redirection.code !== undefined && !isForeignState(request, redirection)) return { body: undefined };
  const succeeded = reply.status >= 200 && reply.status < 300;
  const body = tryToParse(parse, reply.content);
  if (succeeded && body === undefined && hasBody(request))
    throw new MalformedReply(describeUnreadable(reply));
  if (succeeded && !(isObject(body) && isErrorBody(request, body))) return { body };
  const said: Said = {
    status: reply.status,
    ...readSaid(request, reply, body),
    retryAfterMs: retryAfterMs(reply.retryAfter, nowMs),
    location: reply.location,
  };
  return { failure: classifyRefusal(request, said) };
}

/** Code and message of a failure; nothing is looked at that is longer than either may be. */
function readSaid({ secrets }: BuiltRequest, { content, isCut }: RawReply, parsed: unknown) {
  const beginning = isCut && parsed === undefined ? parseBeginning(content.toString()) : undefined;
  const body = beginning?.body ?? parsed;
  if (!isObject(body)) return {};
  const message = messageIn(body);
  const isMessageCut = beginning !== undefined && isCutIn(beginning, message);
  return { code: codeOf(body), message: cutMessage(message, { isCut: isMessageCut, secrets }) };
}

/** Parses the body of a reply; throws where it is not JSON. */
export type ParseBody = (content: Buffer) => unknown;

/** As `ParseBody`; a large body is parsed in parts, between which the rest of the process has its turn. */
export type ParseInParts = (content: Buffer) => Promise<unknown>;

/** The parser of most replies. */
export const parseInParts: ParseInParts = async (content) =>
  content.length > LARGE_BYTES ? parseLargeJson(content, new Breaks()) : parseText(content);

/** The parser of history. */
export const parseHistoryInParts: ParseInParts = async (content) =>
  content.length > LARGE_BYTES ? parseLargeHistoryJson(content, new Breaks()) : parseHistoryJson(content);

/** Parses a body before it is read; what went wrong is thrown where the reader asks for the body. */
export async function parseAhead(parse: ParseInParts, content: Buffer): Promise<ParseBody> {
  const [outcome] = await Promise.allSettled([parse(content)]);
  return () => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  };
}

function parseText(content: Buffer): unknown {
  return parseJson(content.toString());
}

/** Undefined if the body is not JSON: JSON itself has no such value. */
function tryToParse(parse: ParseBody, content: Buffer): unknown {
  try {
    return parse(content);
  } catch {
    // The parser's message quotes the text, which may hold a token; whoever needs a body reports its absence.
    return undefined;
  }
}

/** Writes answer with a Location header, `authorizeCode` with nothing: whatever their body holds is no part of the contract. */
function hasBody({ id, operation }: BuiltRequest): boolean {
  return operation.kind !== 'write' && id !== 'authorizeCode';
}

/**
 * An error that came with status 200: the expected member absent, null or an empty list, and a foreign `code`, or a message that
 * reports no success. What such a reply lacks is not known, so it must not be taken for nothing.
 */
function isErrorBody({ id, operation }: BuiltRequest, body: Readonly<Record<string, unknown>>): boolean {
  const member = operation.paged ? 'list' : expectedMember[id];
  const value = member === undefined ? undefined : body[member];
  if (value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0)) return false;
  const code = codeOf(body);
  if (code !== undefined) return !isSuccess(code);
  // Names of properties hold a dot, so a current reply without one holds no value at all.
  if (id === 'readCurrent')
    return typeof body.message === 'string' && !Object.keys(body).some((key) => key.includes('.'));
  return member !== undefined && complaintIn(body) !== undefined;
}

function messageIn(body: Readonly<Record<string, unknown>>): string | undefined {
  const members = [body.message, body.msg, body.detail, body.error, body.result, complaintIn(body)];
  return members.find((member): member is string => typeof member === 'string' && member !== '');
}

function describeUnreadable({ content, contentType, bytes }: RawReply): string {
  const text = content.toString('utf8', 0, MAX_LOOKED_AT).trimStart();
  if (text === '' && content.length <= MAX_LOOKED_AT) return 'the reply is empty';
  if (contentType.includes('html') || text.startsWith('<'))
    return 'the reply is a web page (HTML), not JSON; check platform.baseUrl and what stands before the platform';
  return `the reply is broken JSON (${bytes} bytes)`;
}
