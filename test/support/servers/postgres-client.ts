import { Client } from 'pg';
import { onTestFinished } from 'vitest';
import type { PostgresOptions } from '../../../src/postgres/connect.ts';

/** Opens a connection that bears the end of its server. The test closes it. */
export async function connectTo({ url, password }: PostgresOptions): Promise<Client> {
  const address = new URL(url);
  address.password = encodeURIComponent(password ?? '');
  const client = new Client({ connectionString: address.href });
  client.on('error', () => undefined);
  await client.connect();
  onTestFinished(() => client.end().catch(() => undefined));
  return client;
}
