import { firstServerOf } from './postgres/server-list.ts';

/** Takes secrets out of a text. */
export type Redact = (text: string) => string;

/** Shorter pieces of base64 occur in any text by chance. */
const LEAST_BASE64 = 4;
/** The most times that a text is percent-encoded or escaped on its way to the platform and back. */
const MOST_TIMES = 4;
/** Of a longer secret each piece is looked for by itself. */
const MOST_CHARACTERS = 256;
/** Length of a pattern that the engine surely takes. */
const MOST_IN_PATTERN = 64_000;

/** The most redactors that are remembered: those of some platforms, and of some tokens in a row. */
const MOST_REMEMBERED = 8;
const remembered = new Map<string, Redact>();

/**
 * Takes secrets out of a text, in any spelling. Making the patterns of a secret takes longer than a request,
 * so the redactors of the last secrets are remembered.
 */
export function redact(text: string, secrets: readonly string[]): string {
  const key = JSON.stringify(secrets);
  const redactor = remembered.get(key) ?? createRedactor(secrets);
  // The one that was used last stands last.
  remembered.delete(key);
  remembered.set(key, redactor);
  const [oldest] = remembered.keys();
  if (remembered.size > MOST_REMEMBERED && oldest !== undefined) remembered.delete(oldest);
  return redactor(text);
}

/**
 * Makes a function that takes secrets out of a text. The function finds each spelling that a parser reads as
 * the secret: percent-encoded in part or whole, as a form, escaped for JSON or HTML. It also finds the secret
 * if such encodings are applied several times, and in base64, alone or behind a user name.
 */
export function createRedactor(secrets: readonly string[]): Redact {
  const known = new Set(secrets.flatMap((secret) => [secret, decode(secret)]));
  known.delete('');
  // Long secrets come first, since a short one may be the beginning of a long one.
  const ordered = [...known].sort((a, b) => b.length - a.length);
  const spelled = [...ordered.flatMap(spellInPieces), ...ordered.flatMap(spellBase64)];
  const patterns = joinPatterns(spelled).map((source) => new RegExp(source, 'g'));
  return (text) => {
    const redacted = patterns.reduce((left, pattern) => left.replace(pattern, '***'), text);
    return redacted === text ? text : redacted.replace(/(?:\*{3}){2,}/g, '***');
  };
}

/** One pattern for many spellings, or several where it would become too large for the engine. */
function joinPatterns(spelled: readonly string[]): string[] {
  const joined: string[] = [];
  for (const source of spelled) {
    const last = joined.at(-1);
    if (last === undefined || last.length + source.length > MOST_IN_PATTERN) joined.push(source);
    else joined[joined.length - 1] = `${last}|${source}`;
  }
  return joined;
}

/**
 * Cuts a long secret, such as a key of 4 kB, into pieces of equal length. No engine takes the pattern for
 * all spellings of a longer text.
 */
function cutInPieces(characters: readonly string[]): (readonly string[])[] {
  const length = Math.ceil(characters.length / Math.ceil(characters.length / MOST_CHARACTERS));
  return Array.from({ length: Math.ceil(characters.length / length) }, (_, k) =>
    characters.slice(k * length, (k + 1) * length),
  );
}

/** Lists the secrets of an address: its password, as written and decoded, and a parameter `password`. */
export function listAddressSecrets(text: string): string[] {
  const address = firstServerOf(text);
  if (!URL.canParse(address)) return [];
  const { password, searchParams } = new URL(address);
  return [password, decode(password), ...searchParams.getAll('password')].filter((secret) => secret !== '');
}

/** Returns the text without its percent-encoding. Returns the text itself if it cannot be decoded. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
}

/** Returns patterns for all spellings of a secret. */
function spellInPieces(secret: string): string[] {
  return cutInPieces([...secret]).map((piece) => piece.map(spellCharacter).join(''));
}

const entities: Readonly<Record<string, string>> = {
  '&': 'amp',
  '<': 'lt',
  '>': 'gt',
  '"': 'quot',
  "'": 'apos',
};

/**
 * Returns a pattern for all spellings of a character. Long spellings come first, so that no part of them is
 * left.
 */
function spellCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const units = character
    .split('')
    .map((unit) => `\\\\{1,${MOST_TIMES}}u${anyCase(hex(unit.charCodeAt(0), 4))}`);
  const named =
    entities[character] === undefined ? [] : [`&(?:amp;){0,${MOST_TIMES}}${entities[character]};`];
  return `(?:${[
    [...Buffer.from(character)].map((byte) => `%(?:25){0,${MOST_TIMES}}${anyCase(hex(byte, 2))}`).join(''),
    units.join(''),
    `&(?:amp;){0,${MOST_TIMES}}#(?:0*${code}|[xX]0*${anyCase(hex(code, 1))});`,
    ...named,
    ...spellBare(character),
  ].join('|')})`;
}

/**
 * Lists patterns for a character without an encoding. In a form a plus stands for a blank. In JSON and in
 * shells a backslash may stand before some characters.
 */
function spellBare(character: string): string[] {
  if (character === '\\') return [`\\\\{1,${2 ** MOST_TIMES}}`];
  if (/["'/]/.test(character)) return [`\\\\{0,${2 ** MOST_TIMES}}${character}`];
  if (character === ' ' || character === '+') return ['[ +]'];
  if (character === '\n') return ['\\\\{1,4}n', '\n'];
  return [/^\w$/.test(character) ? character : character.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')];
}

/**
 * Lists patterns for a secret in base64. Base64 takes three bytes at a time, so a secret behind a user name
 * has one of three spellings.
 */
function spellBase64(secret: string): string[] {
  return [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.from('\0'.repeat(before) + secret);
    const [first, last] = [Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6)];
    const sure = bytes.toString('base64').slice(first, last);
    if (sure.length < LEAST_BASE64) return [];
    const spelled = [...sure].map((digit) => {
      if (digit === '+') return `(?:-|${spellCharacter(digit)})`;
      return digit === '/' ? `(?:_|${spellCharacter(digit)})` : digit;
    });
    // The digits at both ends hold only some bits of the secret.
    spelled[0] = `[\\w+/-]?${spelled[0]}`;
    spelled.push('[\\w+/-]?(?:=|%3[dD]){0,2}');
    return cutInPieces(spelled).map((piece) => piece.join(''));
  });
}

function hex(number: number, digits: number): string {
  return number.toString(16).padStart(digits, '0');
}

function anyCase(text: string): string {
  return text.replace(/[a-f]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);
}
