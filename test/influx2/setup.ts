import type { TestProject } from 'vitest/node';
import { callInfluxTwo, type InfluxTwo } from '../support/influx/influx-two.ts';

const urlVariable = 'PLANTSYNC_TEST_INFLUX2_URL';
const tokenVariable = 'PLANTSYNC_TEST_INFLUX2_TOKEN';
const orgVariable = 'PLANTSYNC_TEST_INFLUX2_ORG';

/** Finds the InfluxDB 2.x that the environment names. A server that is new gets its first user. */
export default async function findInfluxTwo(project: TestProject): Promise<void> {
  const url = process.env[urlVariable]?.replace(/\/+$/, '');
  if (!url)
    throw new Error(
      `set ${urlVariable} to the address of an InfluxDB 2.x, for example http://127.0.0.1:8086`,
    );
  project.provide('influxTwo', { url, ...(await findAccess(url)) });
}

async function findAccess(url: string): Promise<Omit<InfluxTwo, 'url'>> {
  const org = process.env[orgVariable] || 'plantsync-test';
  const token = process.env[tokenVariable];
  if (token) return { org, token };
  const server = { url, token: '' };
  const { allowed } = await callInfluxTwo<{ allowed: boolean }>(server, 'setup');
  if (!allowed)
    throw new Error(
      `the InfluxDB at ${url} is set up already: set ${orgVariable}, and ${tokenVariable} to an operator token`,
    );
  const first = { username: 'tests', password: 'only-for-tests', org, bucket: 'first' };
  const { auth } = await callInfluxTwo<{ auth: { token: string } }>(server, 'setup', first);
  console.log(
    `InfluxDB was new. Its token for the next run is in ${url}: set ${tokenVariable}=${auth.token}`,
  );
  return { org, token: auth.token };
}
