import { encodingOfMark } from '../../../byte-order-mark.ts';

/** Tells that a file is not text that can be read. */
export class NotText extends Error {}

/**
 * Decodes the bytes of a CSV file, without its byte order mark. They are UTF-8, or UTF-16 with a mark, as
 * Excel writes them. Throws a `NotText` for other encodings, since a wrong guess would spoil names.
 */
export function decodeCsv(bytes: Uint8Array): string {
  const encoding = encodingOfMark(bytes) ?? 'utf-8';
  let text: string;
  try {
    text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw new NotText(
      `is not ${encoding.toUpperCase()}: save it again as "CSV UTF-8", which Excel offers next to "CSV"`,
    );
  }
  if (text.includes('\0'))
    throw new NotText(
      'holds characters of no text: it may be a workbook, or UTF-16 without its mark; save it as "CSV UTF-8"',
    );
  return text;
}
