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
