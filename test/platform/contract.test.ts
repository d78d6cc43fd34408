import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { generateContract } from '../../src/platform/generate-contract.ts';
import { listOpenPoints, renderOpenPoints } from '../../src/platform/open-points.ts';
import { operations } from '../../src/platform/operations.ts';

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  schema: Record<string, unknown>;
}

interface ContractOperation {
  operationId: string;
  tags: string[];
  summary: string;
  security?: object[];
  parameters?: (Parameter | { $ref: string })[];
  responses: Record<string, unknown>;
}

interface Contract {
  paths: Record<string, Record<string, ContractOperation>>;
  tags: { name: string }[];
  components: { parameters: Record<string, Parameter>; schemas: Record<string, unknown> };
}

const pathOf = (relative: string): string => fileURLToPath(new URL(`../../${relative}`, import.meta.url));
const source = readFileSync(pathOf('src/platform/openapi.yaml'), 'utf8');
const contract: Contract = parse(source);
const all = Object.entries(contract.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    method: method.toUpperCase(),
    path,
    ...operation,
  })),
);

/** Returns the part of the contract to which a local reference points. */
function resolve(ref: string): unknown {
  const keys = ref.replace(/^#\//, '').split('/');
  return keys.reduce<unknown>(
    (node, key) => Object(node)[key.replaceAll('~1', '/').replaceAll('~0', '~')],
    contract,
  );
}

function parametersOf(operation: ContractOperation): Parameter[] {
  return (operation.parameters ?? []).map((it) => ('$ref' in it ? (resolve(it.$ref) as Parameter) : it));
}

function refsIn(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) => (key === '$ref' ? [String(value)] : refsIn(value)));
}

/** Shapes to which no operation refers, as the specification says. */
const unreferenced =
  `AddUser LoginParam CommonEvent CommonField CommonMetadata CommonObjectInstance CommonProperty
  CorrelationOrganization CorrelationUser DataStructField OrganizationNodeBase OrganizationTreeAddInfo
  OrganizationTreeList OrganizationTreeUpdateInfo Role SimplePropName SubscriptionMetadata TableCommonInfo
  UpdatePersonInfo BindInfo`.split(/\s+/);

const referenced =
  `ResponseSuccess GeneralError ErrorCode Created Updated Pagination AlarmCurrentInfo AlarmHistoryInfo
  GetObjectBaseInfo GetObjectDetailInfo SimpleModelLabel Binding Property Event Service ServiceInputField
  OutputParameter FieldType FieldTypeAnonymity primitiveTypeDefinition Subscription NetworkBaseInfo NetworkObject
  NetworkObjectSearchList OrganizationTreeQueryInfo OrganizationTreeInfo OrganizationNodeDetailInfo
  OrganizationNodeResultDetailInfo BaseInfo PersonBaseInfo PersonInfo PersonQueryInfo UserBaseInfo QueryUser RoleInfo
  PropCurrentReq PropHistoryReq PropHistoryResp Audit`.split(/\s+/);

describe('the contract', () => {
  test('has its generated types in contract.ts', async () => {
    const generated = await generateContract(pathOf('src/platform/openapi.yaml'));
    expect(readFileSync(pathOf('src/platform/contract.ts'), 'utf8'), 'run npm run contract').toBe(generated);
  });

  test('has exactly the 29 operations of the client', () => {
    const byId = Object.fromEntries(
      all.map(({ operationId, method, path }) => [operationId, { method, path }]),
    );
    const expected = Object.entries(operations).map(([id, { method, path }]) => [id, { method, path }]);
    expect(all).toHaveLength(29);
    expect(byId).toEqual(Object.fromEntries(expected));
  });

  test.each(all)('gives $operationId a declared tag, a summary and one successful reply', (operation) => {
    expect(contract.tags.map((tag) => tag.name)).toEqual(expect.arrayContaining(operation.tags));
    expect(operation.tags).toHaveLength(1);
    expect(operation.summary).toMatch(/\w/);
    expect(Object.keys(operation.responses).filter((status) => status.startsWith('2'))).toHaveLength(1);
  });

  test('answers errors with 400, except for the name of a token', () => {
    const without = all.filter((operation) => !('400' in operation.responses));
    expect(without.map((operation) => operation.operationId)).toEqual(['getTokenUsername']);
  });

  test.each(all)('declares exactly the path parameters of $path', (operation) => {
    const inPath = parametersOf(operation).filter((parameter) => parameter.in === 'path');
    const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
    expect(inPath.map((parameter) => parameter.name)).toEqual(names);
    expect(inPath.every((parameter) => parameter.required)).toBe(true);
  });

  test.each(all)('pages $operationId exactly if the client does', (operation) => {
    const names = parametersOf(operation).map((parameter) => parameter.name);
    const paged = Object.entries(operations).some(
      ([id, it]) => id === operation.operationId && 'paged' in it,
    );
    expect(names.includes('page')).toBe(paged);
    expect(names.includes('per_page')).toBe(paged);
  });

  test('counts pages from 1, with 20 entries by default and 100 at most', () => {
    const { page, perPage } = contract.components.parameters;
    expect(page?.schema).toEqual({ type: 'integer', minimum: 1, default: 1 });
    expect(perPage?.schema).toEqual({ type: 'integer', minimum: 1, maximum: 100, default: 20 });
  });

  test('asks for the bearer token everywhere but in the operations that hand out tokens', () => {
    const open = all.filter((operation) => operation.security?.length === 0);
    const handingOut = Object.entries(operations).filter(([, operation]) => operation.kind === 'token');
    expect(open.map((operation) => operation.operationId)).toEqual(handingOut.map(([id]) => id));
  });

  test.each([...referenced, ...unreferenced])('has the shape %s', (name) => {
    expect(contract.components.schemas).toHaveProperty(name);
  });

  test('has no reference that leads nowhere', () => {
    const broken = refsIn(contract).filter((ref) => resolve(ref) === undefined);
    expect(broken).toEqual([]);
  });

  test('keeps the spellings of the specification', () => {
    expect(source).toMatch(/^ +reqired:$/m);
  });
});

describe('the open points', () => {
  test('stand all on their page', () => {
    const page = readFileSync(pathOf('docs/open-points.md'), 'utf8');
    expect(page, 'run npm run contract').toBe(renderOpenPoints(listOpenPoints(source)));
  });

  test('name places by operation, parameter and member, and join equal marks', () => {
    const mark = 'x-open: "A is not shown. Default: b | c."';
    const yaml = `
paths:
  /things/{id}:
    get:
      operationId: getThing
      parameters: [{ name: id, in: path, ${mark} }]
components:
  schemas:
    Thing: { allOf: [{ properties: { properties: { items: { ${mark} } } } }] }`;
    const points = listOpenPoints(yaml);
    expect(points).toEqual([
      { places: ['getThing.id', 'Thing.properties'], open: 'A is not shown.', fallback: 'b | c.' },
    ]);
    expect(renderOpenPoints(points)).toContain(
      '| `getThing.id`, `Thing.properties` | A is not shown. | b \\| c. |',
    );
  });

  test('state a default each', () => {
    expect(() => listOpenPoints('info: { x-open: Nobody knows. }')).toThrow(/x-open at info must read/);
  });
});
