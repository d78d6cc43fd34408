import type { TokenPlace } from './simulator-dialect.ts';

/** Returns the access token of a request. It is looked for only in the place that the dialect names. */
export function presentedToken(
  place: TokenPlace,
  request: { headers: Readonly<Record<string, unknown>>; query: Readonly<Record<string, unknown>> },
): string | undefined {
  const given = place.in === 'query' ? request.query[place.name] : request.headers[place.name.toLowerCase()];
  if (typeof given !== 'string') return undefined;
  if (place.in === 'query' || place.scheme === '') return given;
  const [scheme, token, ...rest] = given.split(' ');
  return scheme?.toLowerCase() === place.scheme.toLowerCase() && rest.length === 0 ? token : undefined;
}
