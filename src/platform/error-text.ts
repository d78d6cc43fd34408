import { isObject } from './is-object.ts';
import { parseJson } from './json.ts';

/** A message that says more than this is looked at no further. */
const MAX_MESSAGE = 4_000;
const MAX_CODE = 100;
/** Characters of a URL for one byte of a secret. */
const CHARACTERS_PER_BYTE = 3;
const [quote, backslash, comma, openBracket, openBrace] = [0x22, 0x5c, 0x2c, 0x5b, 0x7b] as const;
const [closeBracket, closeBrace, letterU] = [0x5d, 0x7d, 0x75] as const;

/**
 * Cuts a message before anything looks at it. What is left is so short that it may be redacted and matched, and holds no beginning of a
 * secret at the place of the cut, which redacting would not find. Returns undefined if nothing is left.
 */
export function cutMessage(
  message: string | undefined,
  { isCut, secrets }: { readonly isCut: boolean; readonly secrets: readonly string[] },
): string | undefined {
  if (message === undefined || (message.length <= MAX_MESSAGE && !isCut)) return message;
  const longest = Math.max(0, ...secrets.map((secret) => Buffer.byteLength(secret)));
  const end = Math.min(message.length, MAX_MESSAGE) - longest * CHARACTERS_PER_BYTE;
  return end > 0 ? `${message.slice(0, end)}…` : undefined;
}

/** Cuts a code, which is a short text by its nature. */
export function cutCode(code: string): string {
  return code.slice(0, MAX_CODE);
}

/**
 * Parses the beginning of a JSON object whose end was left unread: the text that it ends in is taken as it is, and what is open is
 * closed. Returns undefined if it is no such beginning.
 */
export function parseBeginning(text: string): Readonly<Record<string, unknown>> | undefined {
  const { closed, whole } = closeText(text);
  for (const candidate of [closed, whole])
    try {
      const body = parseJson(candidate);
      if (isObject(body)) return body;
    } catch {
      // The cut is at a place where nothing can follow: what stands before the last member is left.
    }
  return undefined;
}

/** The text with all that is open closed, and the same without the member of the outermost object in which the cut is. */
function closeText(text: string): { closed: string; whole: string } {
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
      // Half an escape is none.
      if (at + length > text.length) end = at;
      at += length - 1;
    } else if (code === openBrace || code === openBracket) closers.push(code === openBrace ? '}' : ']');
    else if (code === closeBrace || code === closeBracket) closers.pop();
    else if (code === comma && closers.length === 1) lastMember = at;
  }
  return {
    closed: `${text.slice(0, end)}${inText ? '"' : ''}${closers.reverse().join('')}`,
    whole: `${text.slice(0, lastMember)}}`,
  };
}
