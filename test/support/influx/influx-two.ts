import { randomUUID } from 'node:crypto';
import { inject } from 'vitest';
import type { InfluxOptions } from '../../../src/load/stores/influx/options.ts';

/** An InfluxDB 2.x, and a token that may do everything in one of its organizations. */
export interface InfluxTwo {
  readonly url: string;
  readonly org: string;
  readonly token: string;
}

/** The options of a store in a bucket that exists. */
export type BucketOptions = InfluxOptions & {
  readonly org: string;
  readonly bucket: string;
  readonly token: string;
};

declare module 'vitest' {
  interface ProvidedContext {
    /** Undefined where the tests run with InfluxDB 1.x. */
    influxTwo: InfluxTwo | undefined;
  }
}

/** Returns the InfluxDB 2.x of the run. Undefined where the tests run with InfluxDB 1.x. */
export function givenInfluxTwo(): InfluxTwo | undefined {
  return inject('influxTwo');
}

/** Returns the InfluxDB 2.x of the run. Throws where there is none. */
export function influxTwo(): InfluxTwo {
  const server = givenInfluxTwo();
  if (server === undefined) throw new Error('this test needs InfluxDB 2.x: run npm run test:influx2');
  return server;
}

/** Makes a bucket, which keeps points for ever or for so many seconds. */
export async function makeBucket(
  server: InfluxTwo,
  { name = `test-${randomUUID()}`, keepSeconds = 0 } = {},
): Promise<BucketOptions> {
  await callInfluxTwo(server, 'buckets', {
    name,
    orgID: await idOfOrg(server),
    retentionRules: [{ type: 'expire', everySeconds: keepSeconds }],
  });
  return { url: server.url, version: 2, org: server.org, bucket: name, token: server.token };
}

export async function dropBucket(server: InfluxTwo, name: string): Promise<void> {
  await callInfluxTwo(server, `buckets/${await idOfBucket(server, name)}`, undefined, 'DELETE');
}

/** Makes a token that may do just these actions in one bucket. */
export async function makeToken(
  server: InfluxTwo,
  bucket: string,
  actions: readonly ('read' | 'write')[],
): Promise<string> {
  const orgID = await idOfOrg(server);
  const resource = { type: 'buckets', id: await idOfBucket(server, bucket), orgID };
  const permissions = actions.map((action) => ({ action, resource }));
  return (await callInfluxTwo<{ token: string }>(server, 'authorizations', { orgID, permissions })).token;
}

async function idOfOrg(server: InfluxTwo): Promise<string> {
  const query = new URLSearchParams({ org: server.org });
  const { orgs } = await callInfluxTwo<{ orgs: { id: string }[] }>(server, `orgs?${query}`);
  return orgs[0]?.id ?? '';
}

async function idOfBucket(server: InfluxTwo, name: string): Promise<string> {
  const query = new URLSearchParams({ org: server.org, name });
  const { buckets } = await callInfluxTwo<{ buckets: { id: string }[] }>(server, `buckets?${query}`);
  return buckets[0]?.id ?? '';
}

/** Calls an operation of the API, and resolves to the body of the reply. Throws its text if it fails. */
export async function callInfluxTwo<T = unknown>(
  { url, token }: Pick<InfluxTwo, 'url' | 'token'>,
  path: string,
  body?: object,
  method = body === undefined ? 'GET' : 'POST',
): Promise<T> {
  const headers = { authorization: `Token ${token}`, 'content-type': 'application/json' };
  const reply = await fetch(`${url}/api/v2/${path}`, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`${method} /api/v2/${path.split('?')[0]}: HTTP ${reply.status} ${text}`);
  return (text === '' ? undefined : JSON.parse(text)) as T;
}
