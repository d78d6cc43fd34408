import { readFileSync } from 'node:fs';

const encodings: readonly (readonly [mark: Buffer, encoding: string])[] = [
  [Buffer.from([0xff, 0xfe]), 'utf-16le'],
  [Buffer.from([0xfe, 0xff]), 'utf-16be'],
];

/**
 * Reads the text of a file, without a byte order mark. Windows writes such marks by itself: Notepad before
 * UTF-8, and the redirection of PowerShell before UTF-16.
 */
export function readTextFile(file: string): string {
  const bytes = readFileSync(file);
  const [, encoding = 'utf-8'] = encodings.find(([mark]) => bytes.subarray(0, 2).equals(mark)) ?? [];
  return new TextDecoder(encoding).decode(bytes);
}
