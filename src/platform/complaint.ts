import { cutCode } from './error-text.ts';
import { isObject } from './json/is-object.ts';

/** Codes that mean success wherever they appear. */
const successCodes = new Set(['800000', '200', '0']);
/** Messages that complain of nothing. */
const SUCCESS = /^(?:ok|okay|success(?:ful(?:ly)?)?|succeeded|(?:操作|请求|查询)?成功)?\s*[.!。！]?$/i;
/** The most characters of a message that complains of nothing. */
const MAX_SUCCESS = 100;

type Body = Readonly<Record<string, unknown>>;

/** Returns the code that a body carries, as text. Returns undefined if the body carries no code. */
export function codeOf({ code }: Body): string | undefined {
  return typeof code === 'string' || typeof code === 'number' ? cutCode(String(code)) : undefined;
}

/** Returns true for a code that reports success. */
export function isSuccess(code: string): boolean {
  return successCodes.has(code);
}

/**
 * Returns the complaint of a body that came with a successful status. A complaint is a message that reports
 * no success, an error, or `success: false`, in a body without a code that reports success. Returns undefined
 * if the body complains of nothing. If a body complains and holds no entries, that does not prove that there
 * are no entries.
 */
export function complaintIn(body: unknown): string | undefined {
  if (!isObject(body)) return undefined;
  const code = codeOf(body);
  if (code !== undefined && isSuccess(code)) return undefined;
  for (const said of [body.message, body.msg, body.error]) {
    if (typeof said === 'string' && !saysSuccess(said)) return said;
    if (isObject(said)) return textIn(said);
  }
  return body.success === false ? 'the reply says that it did not succeed' : undefined;
}

function saysSuccess(message: string): boolean {
  const said = message.trim();
  return said.length <= MAX_SUCCESS && SUCCESS.test(said);
}

/**
 * Returns the complaint of a body of entries or values: that of `complaintIn`, or else a code that reports no
 * success. An object may have a member `code` of its own, such a body does not. Returns undefined if the body
 * complains of nothing.
 */
export function complaintBeside(body: unknown): string | undefined {
  const complaint = complaintIn(body);
  if (complaint !== undefined || !isObject(body)) return complaint;
  const code = codeOf(body);
  return code === undefined || isSuccess(code) ? undefined : `code ${code}`;
}

/** Returns the text of an error that is an object, as InfluxDB and gateways send it. */
function textIn({ message, reason }: Body): string {
  return (
    [message, reason].find((text): text is string => typeof text === 'string') ?? 'the reply holds an error'
  );
}
