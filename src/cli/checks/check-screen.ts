import { withCode } from '../../errors.ts';
import { showOnOneLine } from '../../shown-text.ts';
import { type CommonOptions, type Io, printText } from '../io.ts';
import { formatDuration } from '../output/table.ts';
import { beginWait } from '../output/tell-wait.ts';
import { columnsOf } from '../output/terminal-width.ts';
import { padText, widthOf } from '../output/text-width.ts';
import { wrapCell } from '../output/wrap-text.ts';
import type { Check, CheckResult } from './check.ts';

/** Shows checks while they are done. */
export interface CheckScreen {
  /** Shows that a check begins. The returned function shows its result; without one it only ends the wait. */
  begin(what: string): (result?: CheckResult) => void;
}

const MARK_WIDTH = 'skipped'.length;
/** With less room for what was found, it begins on a line of its own. */
const LEAST_ROOM = 24;
/** A wait that is shorter than this needs no count. */
const COUNTED_MS = 3_000;

/**
 * Opens a screen that prints each result when it is known. On a terminal, a line tells meanwhile what is
 * being checked, and for how long. With `--json` only that line is shown.
 */
export function openCheckScreen(io: Io, options: CommonOptions, checks: readonly Check[]): CheckScreen {
  const whatWidth = Math.max(...checks.map(({ what }) => widthOf(what)));
  return {
    begin(what) {
      const end = beginWait(io, (ms) =>
        `${padText('…', MARK_WIDTH)}  ${padText(what, whatWidth)}  ${ms < COUNTED_MS ? '' : formatDuration(ms)}`.trimEnd(),
      );
      return (result) => {
        end();
        if (result === undefined || options.json) return;
        printText(io, `${renderResult(result, { whatWidth, columns: columnsOf(io.stdout) }).join('\n')}\n`);
      };
    },
  };
}

/** Renders a result: a mark, what was checked, and what was found, which is wrapped in its own column. */
export function renderResult(
  result: CheckResult,
  { whatWidth, columns }: { whatWidth: number; columns: number },
): string[] {
  const mark = result.ok ? 'ok' : result.skipped ? 'skipped' : 'FAILED';
  const head = `${padText(mark, MARK_WIDTH)}  ${padText(result.what, whatWidth)}`;
  const found = showOnOneLine(describeResult(result));
  const indent = MARK_WIDTH + whatWidth + 4;
  if (columns - indent >= LEAST_ROOM) {
    const [first = '', ...rest] = wrapCell(found, columns - indent);
    return [`${head}  ${first}`, ...rest.map((line) => ' '.repeat(indent) + line)];
  }
  const below = MARK_WIDTH + 2;
  return [
    head.trimEnd(),
    ...wrapCell(found, Math.max(LEAST_ROOM, columns - below)).map((line) => ' '.repeat(below) + line),
  ];
}

function describeResult({ detail, remedy, code }: CheckResult): string {
  const sentence = remedy === undefined ? detail : `${detail.replace(/\.$/, '')}; ${remedy}`;
  return code === undefined ? sentence : withCode(code, sentence);
}
