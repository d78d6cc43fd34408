import type { Builder } from '@grafana/grafana-foundation-sdk/cog';
import {
  type FieldColor,
  FieldColorBuilder,
  FieldColorModeId,
  MappingType,
  type ThresholdsConfig,
  ThresholdsConfigBuilder,
  ThresholdsMode,
  type ValueMapping,
} from '@grafana/grafana-foundation-sdk/dashboard';

/** Colours by value: the first colour, and then a further one from each value on. */
export function steps(
  first: string,
  ...further: readonly (readonly [number, string])[]
): Builder<ThresholdsConfig> {
  return new ThresholdsConfigBuilder()
    .mode(ThresholdsMode.Absolute)
    .steps([{ value: null, color: first }, ...further.map(([value, color]) => ({ value, color }))]);
}

/** Shares from nothing to everything. */
export const shareSteps = () => steps('red', [0.5, 'orange'], [0.9, 'yellow'], [0.999, 'green']);

export const byValue = (): Builder<FieldColor> => new FieldColorBuilder().mode(FieldColorModeId.Thresholds);

/** Colours that a text has everywhere. */
export function colored(colors: Readonly<Record<string, string>>): ValueMapping {
  const options = Object.entries(colors).map(([text, color], index) => [text, { color, index }]);
  return { type: MappingType.ValueToText, options: Object.fromEntries(options) };
}

/** Colours of states whose names plants use. Grafana gives all others the same colour. */
const STATE_COLORS: readonly (readonly [words: string, color: string])[] = [
  ['true|on|run|running|active|open|auto|automatic|producing|运行', 'green'],
  ['idle|ready|standby|wait|waiting|manual|setup|待机', 'blue'],
  ['fault|error|alarm|fail|failed|failure|trip|tripped|故障|报警', 'red'],
  ['warning|warn|maintenance|service|starting|stopping|维护', 'orange'],
  ['false|off|stop|stopped|closed|停止', 'text'],
];

export const stateColors = (): ValueMapping[] =>
  STATE_COLORS.map(([words, color], index) => ({
    type: MappingType.RegexToText,
    // Without a text, some versions of Grafana show none.
    options: { pattern: `/^(${words})$/i`, result: { text: '$1', color, index } },
  }));
