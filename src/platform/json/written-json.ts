import { parse as parseLossless } from 'lossless-json';

/**
 * JSON as a person wrote it. The text goes out. The value serves checks alone, since its numbers may lose
 * digits.
 */
export class WrittenJson {
  readonly text: string;
  readonly value: unknown;
  /**
   * A member that one object states twice with different values. Parsers differ in which of the two they
   * take.
   */
  readonly repeatedMember: string | undefined;

  /** @throws SyntaxError if the text is not JSON */
  constructor(text: string) {
    this.text = text;
    this.value = JSON.parse(text);
    this.repeatedMember = findRepeatedMember(text);
  }
}

/**
 * Reads JSON from the bytes of a file or of stdin, without a mark of byte order.
 * @throws SyntaxError if the bytes are not JSON in UTF-8
 */
export function readWrittenJson(bytes: Uint8Array): WrittenJson {
  return new WrittenJson(decodeText(bytes));
}

/** Decodes a text. Throws for bytes that a lenient decoder would replace without a word. */
function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new SyntaxError('the text is not UTF-8; save it as UTF-8');
  }
}

function findRepeatedMember(text: string): string | undefined {
  let repeated: string | undefined;
  parseLossless(text, undefined, {
    onDuplicateKey: ({ key, newValue }) => {
      repeated ??= key;
      return newValue;
    },
  });
  return repeated;
}
