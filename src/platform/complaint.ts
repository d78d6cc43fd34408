import { cutCode } from './error-text.ts';
import { isObject } from './json/is-object.ts';

/** Codes that mean success wherever they appear. */
const successCodes = new Set(['800000', '200', '0']);
/** Messages that complain of nothing. */
const SUCCESS = /^(?:ok|okay|success(?:ful(?:ly)?)?|succeeded|(?:操作|请求|查询)?成功)?\s*[.!。！]?$/i;
/** No message that complains of nothing is longer. */
const MAX_SUCCESS = 100;

type Body = Readonly<Record<string, unknown>>;

/** The code that a body carries, as text; undefined if it has none. */
export function codeOf({ code }: Body): string | undefined {
  return typeof code === 'string' || typeof code === 'number' ? cutCode(String(code)) : undefined;
}

/** True for a code that says that all went well. */
export function isSuccess(code: string): boolean {
  return successCodes.has(code);
}

/**
 * What a body says went wrong, although its status is that of a success: a message that does not report success, and no code that
 * does. Where such a body holds nothing, "nothing" is not proven. Undefined if it complains of nothing.
 */
export function complaintIn(body: unknown): string | undefined {
  if (!isObject(body)) return undefined;
  const code = codeOf(body);
  if (code !== undefined && isSuccess(code)) return undefined;
  for (const said of [body.message, body.msg, body.error]) {
    if (typeof said === 'string' && !saysSuccess(said)) return said;
    if (isObject(said)) return textIn(said);
  }
  return body.success === false ? 'it says that it did not succeed' : undefined;
}

function saysSuccess(message: string): boolean {
  const said = message.trim();
  return said.length <= MAX_SUCCESS && SUCCESS.test(said);
}

/**
 * What a body of entries or values complains of. As `complaintIn`, and also a code that reports no success: such a body has no code of
 * its own, as an object has. Undefined if it complains of nothing.
 */
export function complaintBeside(body: unknown): string | undefined {
  const complaint = complaintIn(body);
  if (complaint !== undefined || !isObject(body)) return complaint;
  const code = codeOf(body);
  return code === undefined || isSuccess(code) ? undefined : `code ${code}`;
}

/** An error that is an object, as InfluxDB and gateways send it. */
function textIn({ message, reason }: Body): string {
  return [message, reason].find((text): text is string => typeof text === 'string') ?? 'it holds an error';
}
