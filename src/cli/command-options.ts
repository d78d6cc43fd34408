import { type Command, InvalidArgumentError, Option } from 'commander';
import { logFormats, logLevels } from '../log.ts';

/** Adds a command with the options that every command takes. */
export function addTo(
  program: Command,
  name: string,
  about: string,
  how: { isDefault?: true } = {},
): Command {
  return program
    .command(name, how)
    .description(about)
    .addOption(optional('--config <file>', 'configuration file', '$PLANTSYNC_CONFIG or plantsync.yaml'))
    .addOption(
      optional('--log-level <level>', 'least important entries to log', 'log.level').choices(logLevels),
    )
    .addOption(optional('--log-format <format>', 'how entries are logged', 'log.format').choices(logFormats))
    .addOption(optional('--no-color', 'no colours on the terminal, as with NO_COLOR=1', 'colours'))
    .option('--json', 'machine-readable output on stdout', false)
    .allowExcessArguments(false);
}

/** Makes an option without a fixed default, so that commander cannot show its default. */
export function optional(flags: string, about: string, fallback: string): Option {
  return new Option(flags, `${about} (default: ${fallback})`);
}

export const TIME_FORMS = 'now, -7d, 2024-05-01 or 2024-05-01T08:00:00+08:00';
export const zoneOption = () =>
  optional('--timezone <zone>', 'zone of times without a zone', 'platform.timezone, else UTC');

/** Adds the options of a command that works on a range of the history of some series. */
export function addRange(command: Command): Command {
  return command
    .option('--from <time>', `start, always needed: ${TIME_FORMS}`)
    .addOption(optional('--to <time>', 'end, not included', 'now'))
    .addOption(zoneOption())
    .option('--object <glob>', 'only these objects', '*')
    .option('--property <glob>', 'only these properties', '*');
}

/** Collects the values of an option that may be repeated. */
export function collect(value: string, earlier: string[]): string[] {
  return [...earlier, value];
}

/**
 * Returns the whole number in the text. Throws the error that commander shows if the text is no whole number.
 */
export function parseNumber(text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It is not a whole number.');
}
