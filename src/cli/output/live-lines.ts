/** Lines at the bottom of a terminal that are drawn again and again, such as bars of progress. */
export interface LiveLines {
  /** Draws the lines as they are now. */
  draw(): void;
  /** Draws the lines for the last time. They stay, and the cursor goes below them. */
  end(): void;
}

/** What a terminal does for these codes: it clears the rest of the line, or everything from the cursor on. */
const CLEAR_LINE = '\u001b[K';
const CLEAR_BELOW = '\u001b[J';

/** The live lines of each terminal. */
const shown = new WeakMap<NodeJS.WriteStream, DrawnLines>();

/**
 * Begins to draw lines at the bottom of a terminal. `render` returns lines that fit into its width. Only one
 * owner at a time draws on a terminal; the lines of an earlier owner end.
 */
export function drawLines(terminal: NodeJS.WriteStream, render: () => readonly string[]): LiveLines {
  shown.get(terminal)?.end();
  const lines = new DrawnLines(terminal, render);
  shown.set(terminal, lines);
  return lines;
}

/**
 * Does some writing to a terminal above its live lines, so that neither tears the other. The writing must end
 * with a line feed. Writes at once where nothing is drawn.
 */
export function writeAbove(terminal: NodeJS.WriteStream, write: () => void): void {
  const lines = shown.get(terminal);
  lines?.clear();
  write();
  lines?.draw();
}

class DrawnLines implements LiveLines {
  readonly #terminal: NodeJS.WriteStream;
  readonly #render: () => readonly string[];
  #drawn = '';
  #height = 0;

  constructor(terminal: NodeJS.WriteStream, render: () => readonly string[]) {
    this.#terminal = terminal;
    this.#render = render;
  }

  draw(): void {
    if (shown.get(this.#terminal) !== this) return;
    const lines = this.#render();
    // Lines above the top of the terminal cannot be drawn again, so the oldest ones are left out.
    const most = Math.max(1, (this.#terminal.rows || Number.POSITIVE_INFINITY) - 1);
    this.#show(lines.slice(-most));
  }

  end(): void {
    if (shown.get(this.#terminal) !== this) return;
    shown.delete(this.#terminal);
    this.#show(this.#render());
  }

  clear(): void {
    if (this.#height > 0) this.#terminal.write(`${this.#toTop()}${CLEAR_BELOW}`);
    this.#height = 0;
    this.#drawn = '';
  }

  /** Writes the lines over those that are there, unless they are the same. */
  #show(lines: readonly string[]): void {
    const text = lines.map((line) => `${line}${CLEAR_LINE}\n`).join('');
    if (text === this.#drawn) return;
    // One write, so that nobody sees the lines half drawn.
    this.#terminal.write(`${this.#toTop()}${text}${CLEAR_BELOW}`);
    this.#height = lines.length;
    this.#drawn = text;
  }

  /** Moves the cursor to the first character of the lines. */
  #toTop(): string {
    return this.#height === 0 ? '\r' : `\r\u001b[${this.#height}A`;
  }
}
