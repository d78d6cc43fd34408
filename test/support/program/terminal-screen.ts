import { Writable } from 'node:stream';

/** What a program writes to a terminal, and what somebody who looks at the terminal sees. */
export interface TerminalScreen {
  readonly stream: NodeJS.WriteStream;
  /** The lines on the screen and above it, without blank lines at the end. */
  lines(): string[];
  /** Everything that was written, with its codes. */
  written(): string;
}

const ESCAPE = '\u001b';
const CODES = new RegExp(`${ESCAPE}\\[(\\d*)([A-Za-z])|[\\r\\n]|[^${ESCAPE}\\r\\n]+`, 'g');

/**
 * Makes a terminal that obeys the codes for moving up and clearing. Any other code but a colour is an error,
 * so that no test passes since the terminal did not understand.
 */
export function makeTerminal({ columns = 80, rows = 24, colors = false } = {}): TerminalScreen {
  const screen: string[] = [''];
  let [row, column, written] = [0, 0, ''];
  const put = (text: string) => {
    const line = (screen[row] ?? '').padEnd(column);
    screen[row] = line.slice(0, column) + text + line.slice(column + text.length);
    column += text.length;
  };
  const obey = (code: string, count: string) => {
    if (code === 'A') row = Math.max(0, screen.length - rows, row - Number(count || 1));
    else if (code === 'K') screen[row] = (screen[row] ?? '').slice(0, column);
    else if (code === 'J') {
      screen[row] = (screen[row] ?? '').slice(0, column);
      screen.length = row + 1;
    } else if (code !== 'm') throw new Error(`the terminal does not know the code ${code}`);
  };
  const stream = new Writable({
    decodeStrings: false,
    write(chunk: string, _encoding, done) {
      written += chunk;
      for (const [token, count = '', code] of chunk.matchAll(CODES)) {
        if (code !== undefined) obey(code, count);
        else if (token === '\r') column = 0;
        else if (token === '\n') {
          row += 1;
          column = 0;
          screen[row] ??= '';
        } else put(token);
      }
      done();
    },
  });
  Object.assign(stream, { isTTY: true, columns, rows, hasColors: () => colors });
  const lines = () => screen.slice(0, screen.findLastIndex((line) => line.trim() !== '') + 1);
  return { stream: stream as unknown as NodeJS.WriteStream, lines, written: () => written };
}
