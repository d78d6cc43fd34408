import { type InfluxOptions, resolveInfluxOptions } from '../../../src/load/stores/influx/options.ts';

/**
 * Sends a statement or line protocol to the place of a store, as another program would. Resolves to the text
 * of the reply. Throws it if the server refuses. 2.x serves these paths for buckets too.
 */
export async function askInflux(
  options: InfluxOptions,
  path: '/query' | '/write',
  { body = '', ...parameters }: Readonly<Record<string, string>>,
): Promise<string> {
  const { baseUrl, place, authorization } = resolveInfluxOptions(options);
  const reply = await fetch(`${baseUrl}${path}?${new URLSearchParams({ db: place, ...parameters })}`, {
    method: 'POST',
    headers: authorization === undefined ? {} : { authorization },
    body,
  });
  const text = await reply.text();
  if (!reply.ok) throw new Error(text);
  return text;
}
