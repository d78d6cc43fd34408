import { redact } from '../redact.ts';
import { isObject } from './json/is-object.ts';
import { parseJson } from './json/json.ts';

/** The most characters that are read of a message. */
const MAX_MESSAGE = 4_000;
const MAX_CODE = 100;
/** Characters that a URL needs for one byte of a secret. */
const CHARACTERS_PER_BYTE = 3;
const [quote, backslash, comma, openBracket, openBrace] = [0x22, 0x5c, 0x2c, 0x5b, 0x7b] as const;
const [closeBracket, closeBrace, letterU] = [0x5d, 0x7d, 0x75] as const;

/**
 * Cuts a message before anything else reads it. `isCut` says that its end was left unread. If a secret was
 * cut, redacting does not find its beginning. An end that may be such a beginning is therefore left out.
 * Returns undefined if nothing is left.
 */
export function cutMessage(
  message: string | undefined,
  { isCut, secrets }: { readonly isCut: boolean; readonly secrets: readonly string[] },
): string | undefined {
  if (message === undefined || (message.length <= MAX_MESSAGE && !isCut)) return message;
  const longest = Math.max(0, ...secrets.map((secret) => Buffer.byteLength(secret)));
  const redacted = redact(message.slice(0, MAX_MESSAGE), secrets);
  const end = redacted.length - longest * CHARACTERS_PER_BYTE;
  return end > 0 ? `${redacted.slice(0, end)}…` : undefined;
}

/** Returns true if the message is, or may be, the text in which a body was cut. */
export function isCutIn({ body, isTextCut }: Beginning, message: string | undefined): boolean {
  const last = Object.values(body).at(-1);
  return isTextCut && (typeof last !== 'string' || last === message);
}

/** Cuts a code to the length of a short text. */
export function cutCode(code: string): string {
  return code.slice(0, MAX_CODE);
}

/** An object of which only the beginning was read. */
interface Beginning {
  readonly body: Readonly<Record<string, unknown>>;
  /** True if the cut is inside of a text: the text of the last member, or a text within that member. */
  readonly isTextCut: boolean;
}

/**
 * Parses the beginning of a JSON object whose end was left unread. A text that was cut is taken as it is, and
 * everything that is open is closed. Returns undefined if the text is no beginning of an object.
 */
export function parseBeginning(text: string): Beginning | undefined {
  const { closed, whole, isTextCut } = closeText(text);
  for (const candidate of [closed, whole])
    try {
      const body = parseJson(candidate);
      if (isObject(body)) return { body, isTextCut: isTextCut && candidate === closed };
    } catch {
      // Nothing can follow at the place of the cut: the other candidate ends before the last member.
    }
  return undefined;
}

/** Returns the text with everything closed, and the text without the outermost member in which the cut is. */
function closeText(text: string): { closed: string; whole: string; isTextCut: boolean } {
  const closers: string[] = [];
  let inText = false;
  let lastMember = 0;
  let end = text.length;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) inText = !inText;
    else if (inText) {
      if (code !== backslash) continue;
      const length = text.charCodeAt(at + 1) === letterU ? 6 : 2;
      // An escape that was cut in two is left out.
      if (at + length > text.length) end = at;
      at += length - 1;
    } else if (code === openBrace || code === openBracket) closers.push(code === openBrace ? '}' : ']');
    else if (code === closeBrace || code === closeBracket) closers.pop();
    else if (code === comma && closers.length === 1) lastMember = at;
  }
  return {
    closed: `${text.slice(0, end)}${inText ? '"' : ''}${closers.reverse().join('')}`,
    whole: `${text.slice(0, lastMember)}}`,
    isTextCut: inText,
  };
}
