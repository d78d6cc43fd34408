import type { Config } from '../../config/config-schema.ts';
import { type OpenLog, openLog } from '../../log.ts';
import type { Redact } from '../../redact.ts';
import type { CommonOptions, Io } from '../io.ts';
import { writeAbove } from '../output/live-lines.ts';

/**
 * Opens the log of a command: text for people on a terminal, JSON elsewhere, unless `log.format` says which.
 * On a terminal its lines go above the bars of progress.
 */
export function openCommandLog(
  io: Io,
  options: CommonOptions,
  { level, format, redact }: Config['log'] & { readonly redact: Redact },
): OpenLog {
  const { stderr } = io;
  const isTerminal = stderr.isTTY === true;
  const isText = format === 'text' || (format === 'auto' && isTerminal);
  const look = {
    colors: showsColors(io, options),
    columns: () => (isTerminal ? stderr.columns || undefined : undefined),
  };
  return openLog({
    level,
    redact,
    text: isText ? look : undefined,
    ...(isTerminal && { write: (lines) => writeAbove(stderr, () => stderr.write(lines)) }),
  });
}

/** Tells whether stderr shows colours. NO_COLOR, TERM=dumb and --no-color say that it must not. */
export function showsColors({ stderr, env }: Io, { color = true }: CommonOptions): boolean {
  return color && stderr.isTTY === true && stderr.hasColors?.(env) === true;
}
