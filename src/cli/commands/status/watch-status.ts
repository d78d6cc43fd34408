import { messageOf } from '../../../errors.ts';
import { sleepOrWake } from '../../../sleep.ts';
import { type Io, printText, withoutSecrets } from '../../io.ts';
import { layOut } from '../../output/lay-out.ts';
import type { Line } from '../../output/table.ts';
import { columnsOf } from '../../output/terminal-width.ts';
import { cutColumns } from '../../output/text-width.ts';

/** The rows of a terminal that does not tell them. */
const DEFAULT_ROWS = 24;
const [HOME, CLEAR_LINE, CLEAR_BELOW] = ['\u001b[H', '\u001b[K', '\u001b[J'];
const [ENTER, LEAVE] = ['\u001b[?1049h\u001b[?25l', '\u001b[?25h\u001b[?1049l'];

export interface WatchHow {
  readonly everySec: number;
  /** Makes the lines of one look. A failure is shown, and the next look follows. */
  readonly look: () => Promise<readonly Line[]>;
}

/** Shows one look after the other until the signal aborts. Resolves to the exit code 0. */
export async function watchStatus(io: Io, { everySec, look }: WatchHow): Promise<number> {
  const { stdout, signal } = io;
  const isTerminal = stdout.isTTY === true;
  if (isTerminal) stdout.write(ENTER);
  try {
    while (!signal.aborted) {
      const lines = await look().catch((error: unknown) => [
        `the look failed: ${withoutSecrets(io, messageOf(error))}`,
      ]);
      if (signal.aborted) break;
      if (isTerminal) draw(stdout, lines);
      else printText(io, `${layOut(lines, columnsOf(stdout)).join('\n')}\n\n`);
      await sleepOrWake(everySec * 1000, signal);
    }
  } finally {
    if (isTerminal) stdout.write(LEAVE);
  }
  return 0;
}

/** Writes over the former look line by line, so that nothing flickers. Lines that do not fit are left out. */
function draw(stdout: NodeJS.WriteStream, look: readonly Line[]): void {
  const columns = columnsOf(stdout);
  const rows = stdout.rows || DEFAULT_ROWS;
  const lines = layOut(look, columns);
  const shown = lines.length <= rows ? lines : [...lines.slice(0, rows - 1), '… (more in a taller window)'];
  const text = shown.map((line) => `${cutColumns(line, columns)}${CLEAR_LINE}`).join('\r\n');
  stdout.write(`${HOME}${text}${CLEAR_BELOW}`);
}
