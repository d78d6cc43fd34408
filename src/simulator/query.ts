import { parameterError } from './refused-call.ts';
import type { SimulatorDialect } from './simulator-dialect.ts';

/** Query parameters as the HTTP server parsed them. Repeated ones are arrays. */
export type Query = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Returns a parameter as text. The last one of repeated parameters counts. Returns undefined if the text is
 * empty.
 */
export function textParameter(query: Query, name: string): string | undefined {
  const given = query[name];
  const text = typeof given === 'string' ? given : given?.at(-1);
  return text === '' ? undefined : text;
}

/** Returns a parameter as text. Throws a `RefusedCall` if it is missing. */
export function requiredParameter(query: Query, name: string): string {
  const text = textParameter(query, name);
  if (text === undefined) throw parameterError(`${name} is required`);
  return text;
}

/** Returns a parameter that is `true` or `false`. Throws a `RefusedCall` for any other text. */
export function flagParameter(query: Query, name: string): boolean | undefined {
  const text = textParameter(query, name);
  if (text === undefined) return undefined;
  if (text !== 'true' && text !== 'false') throw parameterError(`${name} must be true or false`);
  return text === 'true';
}

/** Returns a parameter that is a whole number within bounds. Throws a `RefusedCall` for any other text. */
export function numberParameter(
  query: Query,
  name: string,
  range: { min: number; max: number; default: number },
): number {
  const given = query[name];
  if (given === undefined) return range.default;
  const text = typeof given === 'string' ? given : '';
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < range.min || number > range.max)
    throw parameterError(`${name} must be a whole number from ${range.min} to ${range.max}`);
  return number;
}

/** Returns an array parameter. Only the form that the dialect names is understood. */
export function listParameter(query: Query, name: string, form: SimulatorDialect['arrayQuery']): string[] {
  const given = query[form === 'brackets' ? `${name}[]` : name];
  const texts = typeof given === 'string' ? [given] : [...(given ?? [])];
  return (form === 'comma' ? texts.flatMap((text) => text.split(',')) : texts).filter((text) => text !== '');
}
