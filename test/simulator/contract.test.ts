import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { openSession, type Session } from './session.ts';

type Json = Record<string, unknown>;

let session: Session;
beforeAll(async () => {
  session = await openSession({ size: 'small', nowMs: () => Date.UTC(2024, 4, 1) });
});
afterAll(() => session.simulator.close());

const source = readFileSync(new URL('../../src/platform/openapi.yaml', import.meta.url), 'utf8');
const contract = parse(source.replaceAll('#/components/schemas/', '#/$defs/'));

/** Returns the schema of the successful JSON reply of an operation. */
function replySchema(path: string, method: string): Json {
  const schema = contract.paths[path][method].responses['200'].content['application/json'].schema;
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $defs: contract.components.schemas,
    ...schema,
  };
}

const cases: [contractPath: string, path: string, body?: object][] = [
  ['/openapi/health', '/openapi/health'],
  ['/openapi/persons/v1', '/openapi/persons/v1?per_page=100'],
  ['/openapi/persons/v1/{name}', '/openapi/persons/v1/P_00000'],
  ['/openapi/users/v1', '/openapi/users/v1?per_page=100'],
  ['/openapi/users/v1/{username}', '/openapi/users/v1/admin0'],
  ['/openapi/orgs/v1', '/openapi/orgs/v1'],
  ['/openapi/orgs/v1/{orgName}', '/openapi/orgs/v1/org_0'],
  ['/openapi/orgs/v1/{orgName}/nodes', '/openapi/orgs/v1/org_0/nodes'],
  ['/openapi/orgs/v1/{orgName}/nodes/{nodeName}', '/openapi/orgs/v1/org_0/nodes/node_0_0'],
  ['/openapi/orgs/v1/{orgName}/persons', '/openapi/orgs/v1/org_0/persons'],
  ['/openapi/objects/v1', '/openapi/objects/v1?per_page=100'],
  ['/openapi/objects/v1/{objName}', '/openapi/objects/v1/Pump_00000'],
  ['/openapi/objects/v1/{objName}/properties', '/openapi/objects/v1/Pump_00000/properties'],
  ['/openapi/networks/v1', '/openapi/networks/v1'],
  ['/openapi/networks/v1/{networkName}', '/openapi/networks/v1/network_0?recursion=recursion'],
  ['/openapi/alarms/v1/current', '/openapi/alarms/v1/current'],
  ['/openapi/alarms/v1/history', '/openapi/alarms/v1/history?per_page=100'],
  [
    '/openapi/objects/v1/properties/history',
    '/openapi/objects/v1/properties/history',
    { select: ['"Pump_00000.running"'] },
  ],
];

test.each(cases)('the reply of %s is what the contract says', async (contractPath, path, body) => {
  const { status, text } = body ? await session.post(path, body) : await session.get(path);
  expect(status, text).toBe(200);
  const result = z
    .fromJSONSchema(replySchema(contractPath, body ? 'post' : 'get'))
    .safeParse(JSON.parse(text));
  expect(result.error?.issues ?? []).toEqual([]);
});
