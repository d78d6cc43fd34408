import { messageOf } from '../../../errors.ts';
import { showControls } from '../../../shown-text.ts';
import { sleepOrWake } from '../../../sleep.ts';
import { type Io, printText, withoutSecrets } from '../../io.ts';
import { cutColumns } from '../../output/text-width.ts';

/** The bounds of a terminal whose size is not known. */
const DEFAULT_SIZE = { columns: 80, rows: 24 };
const [HOME, CLEAR_LINE, CLEAR_BELOW] = ['\u001b[H', '\u001b[K', '\u001b[J'];
const [ENTER, LEAVE] = ['\u001b[?1049h\u001b[?25l', '\u001b[?25h\u001b[?1049l'];

export interface WatchHow {
  readonly everySec: number;
  /** Makes the lines of one look. A failure is shown, and the next look follows. */
  readonly look: (columns: number | undefined) => Promise<readonly string[]>;
}

/** Shows one look after the other until the signal aborts. Resolves to the exit code 0. */
export async function watchStatus(io: Io, { everySec, look }: WatchHow): Promise<number> {
  const { stdout, signal } = io;
  const isTerminal = stdout.isTTY === true;
  if (isTerminal) stdout.write(ENTER);
  try {
    while (!signal.aborted) {
      const lines = await look(stdout.columns).catch((error: unknown) => [
        `the look failed: ${withoutSecrets(io, messageOf(error))}`,
      ]);
      if (signal.aborted) break;
      if (isTerminal) draw(stdout, lines);
      else printText(io, `${lines.join('\n')}\n\n`);
      await sleepOrWake(everySec * 1000, signal);
    }
  } finally {
    if (isTerminal) stdout.write(LEAVE);
  }
  return 0;
}

/** Writes over the former look line by line, so that nothing flickers. Lines that do not fit are left out. */
function draw(stdout: NodeJS.WriteStream, lines: readonly string[]): void {
  const { columns, rows } = {
    ...DEFAULT_SIZE,
    ...(stdout.columns && { columns: stdout.columns, rows: stdout.rows }),
  };
  const shown = lines.length <= rows ? lines : [...lines.slice(0, rows - 1), '… (more in a taller window)'];
  const text = shown.map((line) => `${cutColumns(showControls(line), columns)}${CLEAR_LINE}`).join('\r\n');
  stdout.write(`${HOME}${text}${CLEAR_BELOW}`);
}
