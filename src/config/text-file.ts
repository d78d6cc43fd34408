import { readFileSync } from 'node:fs';
import { encodingOfMark } from '../byte-order-mark.ts';

/**
 * Reads the text of a file, without a byte order mark. Windows writes such marks by itself: Notepad before
 * UTF-8, and the redirection of PowerShell before UTF-16.
 */
export function readTextFile(file: string): string {
  const bytes = readFileSync(file);
  return new TextDecoder(encodingOfMark(bytes) ?? 'utf-8').decode(bytes);
}
