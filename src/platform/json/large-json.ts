import type { Breaks } from '../../breaks.ts';
import { parseJson, setMember } from './json.ts';

/** Bytes of neighbouring values that are parsed at once. */
const PIECE_BYTES = 128 * 1024;
/** Bytes that are scanned between two looks at the clock. */
const STEP_BYTES = 64 * 1024;
/** A value deeper than this is not divided, and must not be large. */
const MAX_DEPTH = 500;
const MAX_DEEP_BYTES = 64 * 1024;
/** The most bytes of a single text or number. */
const MAX_VALUE_BYTES = 8 * 1024 * 1024;
/**
 * Objects and lists that a reply may hold: this many, and one for each `BYTES_PER_CONTAINER` of its bytes.
 * More of them would take many times the size of the reply in memory.
 */
const FREE_CONTAINERS = 100_000;
const BYTES_PER_CONTAINER = 8;

/** The most members of an object that is divided. A reply is asked for some hundred names. */
const MAX_MEMBERS = 100_000;

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a] as const;
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d] as const;

type Container = unknown[] | Record<string, unknown>;

/** An object or list that is open at the place of the scan. */
interface Frame {
  readonly isList: boolean;
  /** Where the run begins: the bytes of the container that are not parsed yet. */
  runStart: number;
  /** Where the element begins in which the scan is. */
  elementStart: number;
  /**
   * The parsed part of the container. It is undefined while all bytes are in the run of the container around
   * it.
   */
  value: Container | undefined;
  /** The members that were added to `value`. */
  members: number;
  /** What stands before the run: nothing, a comma, or an element that was parsed by itself. */
  before: 'nothing' | 'comma' | 'element';
}

/**
 * Parses a large reply as `parseJson` does, in pieces with breaks between them. The built-in parser would
 * hold up the process for a second. A splitter finds where values begin and end, and gives neighbouring
 * values of some size to the built-in parser, at whatever depth they stand. Throws `SyntaxError` if the text
 * is no JSON, holds very many containers, or holds a large value that is nested very deeply.
 */
export async function parseLargeJson(
  bytes: Buffer,
  breaks: Breaks,
  pieceBytes = PIECE_BYTES,
): Promise<unknown> {
  const splitter = new Splitter(bytes, pieceBytes);
  for (;;) {
    const isDone = splitter.scanOn();
    if (isDone) return splitter.result();
    if (breaks.due) await breaks.take();
  }
}

class Splitter {
  readonly #bytes: Buffer;
  readonly #pieceBytes: number;
  readonly #frames: Frame[] = [];
  readonly #containersAtMost: number;
  #at = 0;
  #inText = false;
  /** Containers that are open inside the last frame and have no frame of their own. */
  #undivided = 0;
  #undividedStart = 0;
  #containers = 0;
  #root: Container | undefined;
  #rootRange: { readonly start: number; readonly end: number } | undefined;

  constructor(bytes: Buffer, pieceBytes: number) {
    this.#bytes = bytes;
    this.#pieceBytes = pieceBytes;
    this.#containersAtMost = FREE_CONTAINERS + bytes.length / BYTES_PER_CONTAINER;
  }

  /** Scans the next bytes, and stops early after a piece was parsed. Returns true at the end of the text. */
  scanOn(): boolean {
    const bytes = this.#bytes;
    const end = Math.min(bytes.length, this.#at + STEP_BYTES);
    let at = this.#at;
    let inText = this.#inText;
    for (let hasParsed = false; at < end && !hasParsed; at += 1) {
      const code = bytes[at] as number;
      if (inText) {
        if (code === backslash) at += 1;
        else if (code === quote) inText = false;
      } else if (code === quote) inText = true;
      else if (code === comma) hasParsed = this.#undivided === 0 && this.#endElement(at);
      else if (code === openBracket || code === openBrace) this.#open(at, code === openBracket);
      else if (code === closeBracket || code === closeBrace) this.#close(at, code === closeBracket);
    }
    this.#at = at;
    this.#inText = inText;
    return at >= bytes.length;
  }

  /**
   * Returns the value of the whole text, once all of it was scanned. Throws `SyntaxError` if it is no JSON.
   */
  result(): unknown {
    const bytes = this.#bytes;
    const range = this.#rootRange;
    if (this.#inText || this.#frames.length > 0) throw new SyntaxError('the text ends too early');
    if (range === undefined || this.#root === undefined) {
      if (bytes.length > MAX_VALUE_BYTES) throw new SyntaxError('a single value is very large');
      return parseJson(bytes.toString());
    }
    if (!this.#isBlank(0, range.start) || !this.#isBlank(range.end, bytes.length))
      throw new SyntaxError('there is something around the value');
    return this.#root;
  }

  #open(at: number, isList: boolean): void {
    this.#containers += 1;
    if (this.#containers > this.#containersAtMost) throw new SyntaxError('the text holds very many values');
    if (this.#frames.length === 0 && this.#rootRange !== undefined)
      throw new SyntaxError('there are several values');
    if (this.#frames.length === 0) this.#rootRange = { start: at, end: at };
    if (this.#undivided > 0 || this.#frames.length >= MAX_DEPTH) {
      if (this.#undivided === 0) this.#undividedStart = at;
      this.#undivided += 1;
      return;
    }
    const start = at + 1;
    this.#frames.push({
      isList,
      runStart: start,
      elementStart: start,
      value: undefined,
      members: 0,
      before: 'nothing',
    });
  }

  #close(at: number, isList: boolean): void {
    if (this.#undivided > 0) {
      this.#undivided -= 1;
      if (this.#undivided === 0 && at - this.#undividedStart > MAX_DEEP_BYTES)
        throw new SyntaxError('a large value is nested very deeply');
      return;
    }
    const frame = this.#frames.at(-1);
    if (frame?.isList !== isList) throw new SyntaxError('brackets do not match');
    if (frame.value !== undefined) this.#flush(frame, at);
    this.#frames.pop();
    const around = this.#frames.at(-1);
    if (around === undefined && this.#rootRange !== undefined)
      this.#rootRange = { start: this.#rootRange.start, end: at + 1 };
    if (around === undefined || frame.value === undefined) return;
    around.runStart = at + 1;
    around.before = 'element';
  }

  /** Ends an element at its comma. Parses the run if it is long enough, and returns true then. */
  #endElement(at: number): boolean {
    const frame = this.#frames.at(-1);
    if (frame === undefined) throw new SyntaxError('there are several values');
    const isPiece = at - frame.runStart >= this.#pieceBytes;
    if (isPiece && frame.value === undefined) this.#begin(this.#frames.length - 1);
    if (isPiece || frame.before === 'element') {
      this.#flush(frame, at);
      frame.runStart = at + 1;
      frame.before = 'comma';
    }
    frame.elementStart = at + 1;
    return isPiece;
  }

  /** Makes the container of a frame, in its place inside the containers around it. */
  #begin(index: number): void {
    const frame = this.#frames[index] as Frame;
    frame.value = frame.isList ? [] : {};
    const around = this.#frames[index - 1];
    if (around === undefined) {
      this.#root = frame.value;
      return;
    }
    if (around.value === undefined) this.#begin(index - 1);
    const start = frame.runStart - 1;
    if (around.elementStart > around.runStart) {
      this.#flush(around, around.elementStart - 1);
      around.before = 'comma';
    }
    const name = this.#bytes.toString('utf8', around.elementStart, start);
    if (around.isList && name.trim() === '') (around.value as unknown[]).push(frame.value);
    else setMember(around.value as Container, parseName(name, around.isList), frame.value);
  }

  /** Parses the run of a frame up to `end`, and adds its values to the container. */
  #flush(frame: Frame, end: number): void {
    const { runStart, before, isList } = frame;
    if (end - runStart > MAX_VALUE_BYTES) throw new SyntaxError('a single value is very large');
    const isBlank = this.#isBlank(runStart, end);
    if (isBlank !== (before === 'element')) throw new SyntaxError('an element is missing, or a comma');
    if (isBlank) return;
    const run = this.#bytes.toString('utf8', runStart, end);
    if (isList) {
      const list = frame.value as unknown[];
      for (const element of parseJson(`[${run}]`) as unknown[]) list.push(element);
      return;
    }
    const members = Object.entries(parseJson(`{${run}}`) as object);
    frame.members += members.length;
    if (frame.members > MAX_MEMBERS) throw new SyntaxError('an object has very many members');
    for (const [name, value] of members) setMember(frame.value as Container, name, value);
  }

  #isBlank(start: number, end: number): boolean {
    for (let at = start; at < end; at += 1) {
      const code = this.#bytes[at];
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return false;
    }
    return true;
  }
}

/** Returns the name of a member from the text in front of its value, `"name" :`. */
function parseName(text: string, isList: boolean): string {
  const name = text.trimEnd();
  const value: unknown =
    name.charCodeAt(name.length - 1) === colon ? parseJson(name.slice(0, -1)) : undefined;
  if (isList || typeof value !== 'string') throw new SyntaxError('a member has no name');
  return value;
}
