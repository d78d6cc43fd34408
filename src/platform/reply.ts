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
import type { RawReply } from './transport/exchange.ts';
import { isForeignState, readRedirection } from './transport/redirection.ts';

/** The built-in parser reads a reply up to this size within a moment. */
const LARGE_BYTES = 256 * 1024;
/** The bytes of an unreadable reply that are looked at to say what it is. */
const MAX_LOOKED_AT = 4_096;

/** The member of a successful reply. Without this member a reply with status 200 and a `code` is an error. */
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
 * Reads a reply. Returns the parsed body of a success (undefined if the operation has no body), or the
 * failure that the reply means. Throws `MalformedReply` if a success is not JSON although the operation has a
 * body.
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
  if (succeeded && body === undefined && hasBody(request)) throw unreadable(reply);
  if (succeeded && !(isObject(body) && isErrorBody(request, body))) return { body };
  const said: Said = {
    status: reply.status,
    ...readSaid(request, reply, body),
    retryAfterMs: retryAfterMs(reply.retryAfter, nowMs),
    location: reply.location,
  };
  return { failure: classifyRefusal(request, said) };
}

/** Returns code and message of a failure, both cut to the length that is looked at. */
function readSaid({ secrets }: BuiltRequest, { content, isCut }: RawReply, parsed: unknown) {
  const beginning = isCut && parsed === undefined ? parseBeginning(content.toString()) : undefined;
  const body = beginning?.body ?? parsed;
  if (!isObject(body)) return {};
  const message = messageIn(body);
  const isMessageCut = beginning !== undefined && isCutIn(beginning, message);
  return { code: codeOf(body), message: cutMessage(message, { isCut: isMessageCut, secrets }) };
}

/** Parses the body of a reply. Throws if the body is not JSON. */
export type ParseBody = (content: Buffer) => unknown;

/**
 * Parses the body of a reply. A large body is parsed in parts, and the process does other work between them.
 */
export type ParseInParts = (content: Buffer) => Promise<unknown>;

/** Parses the body of most replies. */
export const parseInParts: ParseInParts = async (content) =>
  content.length > LARGE_BYTES ? parseLargeJson(content, new Breaks()) : parseText(content);

/** Parses the body of a history reply. */
export const parseHistoryInParts: ParseInParts = async (content) =>
  content.length > LARGE_BYTES ? parseLargeHistoryJson(content, new Breaks()) : parseHistoryJson(content);

/** Parses a body before it is read. If that fails, the error is thrown when the reader asks for the body. */
export async function parseAhead(parse: ParseInParts, content: Buffer): Promise<ParseBody> {
  try {
    const body = await parse(content);
    return () => body;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

function parseText(content: Buffer): unknown {
  return parseJson(content.toString());
}

/** Parses a body. Returns undefined if the body is not JSON, since no JSON text means undefined. */
function tryToParse(parse: ParseBody, content: Buffer): unknown {
  try {
    return parse(content);
  } catch {
    // The parser's message quotes the text, which may hold a token. The caller reports that a body is
    // missing.
    return undefined;
  }
}

/**
 * Returns true if the contract gives the reply a body. Writes answer with a Location header, and
 * `authorizeCode` without content. The contract says nothing about their bodies.
 */
function hasBody({ id, operation }: BuiltRequest): boolean {
  return operation.kind !== 'write' && id !== 'authorizeCode';
}

/**
 * Returns true for an error that came with status 200. Such a body lacks the expected member, or has it as
 * null or as an empty list. It also has a `code` or a message that reports no success. Nobody knows what such
 * a reply leaves out, so it must not count as empty.
 */
function isErrorBody({ id, operation }: BuiltRequest, body: Readonly<Record<string, unknown>>): boolean {
  const member = operation.paged ? 'list' : expectedMember[id];
  const value = member === undefined ? undefined : body[member];
  if (value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0)) return false;
  const code = codeOf(body);
  if (code !== undefined) return !isSuccess(code);
  // Names of properties hold a dot, so a reply of current values without a dot in a name holds no value.
  if (id === 'readCurrent')
    return typeof body.message === 'string' && !Object.keys(body).some((key) => key.includes('.'));
  return member !== undefined && complaintIn(body) !== undefined;
}

function messageIn(body: Readonly<Record<string, unknown>>): string | undefined {
  const members = [body.message, body.msg, body.detail, body.error, body.result, complaintIn(body)];
  return members.find((member): member is string => typeof member === 'string' && member !== '');
}

function unreadable({ content, contentType, bytes }: RawReply): MalformedReply {
  const text = content.toString('utf8', 0, MAX_LOOKED_AT).trimStart();
  if (text === '' && content.length <= MAX_LOOKED_AT) return new MalformedReply('the reply is empty');
  if (contentType.includes('html') || text.startsWith('<'))
    return new MalformedReply(
      'the reply is a web page (HTML), not JSON; check platform.baseUrl and the gateways before the platform',
      'platform.web_page',
    );
  return new MalformedReply(`the reply is broken JSON (${bytes} bytes)`);
}
