import { describe, expectTypeOf, test } from 'vitest';
import type { components } from '../../src/platform/contract.ts';
import type { ListOperationId, OperationId } from '../../src/platform/operations.ts';
import type { OperationInput, OperationReply } from '../../src/platform/shapes.ts';

type Schemas = components['schemas'];

// The type checker holds these rules (`npm run typecheck`). Running them only shows their names.
describe('OperationInput', () => {
  test('requires path parameters', () => {
    expectTypeOf<OperationInput<'getObject'>['path']>().toEqualTypeOf<{ objName: string }>();
    expectTypeOf<OperationInput<'getOrgNode'>['path']>().toEqualTypeOf<{
      orgName: string;
      nodeName: string;
    }>();
    expectTypeOf<Record<never, never>>().not.toExtend<OperationInput<'getObject'>>();
  });

  test('requires the query where one of its parameters is required', () => {
    type Query = OperationInput<'getClientAccessToken'>['query'];
    expectTypeOf<Query>().toEqualTypeOf<{ appid: string; grantType: 'client_credential'; secret: string }>();
    expectTypeOf<Record<never, never>>().not.toExtend<OperationInput<'getClientAccessToken'>>();
  });

  test('takes {} where nothing is required', () => {
    expectTypeOf<Record<never, never>>().toExtend<OperationInput<'getHealth'>>();
    expectTypeOf<Record<never, never>>().toExtend<OperationInput<'listObjects'>>();
  });

  test('refuses parts and parameters that the operation does not have', () => {
    // @ts-expect-error the health check has no path parameters
    ({ path: { name: 'x' } }) satisfies OperationInput<'getHealth'>;
    // @ts-expect-error objects cannot be listed by page size
    ({ query: { pageSize: 1 } }) satisfies OperationInput<'listObjects'>;
    // @ts-expect-error reads by GET have no body
    ({ path: { objName: 'x' }, body: {} }) satisfies OperationInput<'getObject'>;
    // @ts-expect-error a page is a number
    ({ query: { page: '1' } }) satisfies OperationInput<'listUsers'>;
  });

  test('requires a body exactly where the contract does', () => {
    expectTypeOf<Record<never, never>>().not.toExtend<OperationInput<'readHistory'>>();
    expectTypeOf<{ path: { objName: string } }>().not.toExtend<OperationInput<'addDatatableEntry'>>();
    expectTypeOf<{ path: { objName: string } }>().toExtend<OperationInput<'updateDatatableEntry'>>();
    expectTypeOf<OperationInput<'readHistory'>['body']>().toEqualTypeOf<Schemas['PropHistoryReq']>();
    expectTypeOf<{ body: { names: string[] } }>().toExtend<OperationInput<'readCurrent'>>();
  });

  test('has path, query and body for any operation', () => {
    const partsOf = <Id extends OperationId>(input: OperationInput<Id>): unknown[] => [
      input.path,
      input.query,
      input.body,
    ];
    expectTypeOf(partsOf<'getObject'>)
      .parameter(0)
      .toEqualTypeOf<OperationInput<'getObject'>>();
  });
});

describe('OperationReply', () => {
  test('is the body of the 200 reply', () => {
    expectTypeOf<OperationReply<'getPerson'>>().toEqualTypeOf<Schemas['PersonQueryInfo']>();
    expectTypeOf<OperationReply<'getTokenUsername'>>().toEqualTypeOf<{ userName?: string }>();
  });

  test('is undefined where the reply has no body', () => {
    expectTypeOf<OperationReply<'authorizeCode'>>().toEqualTypeOf<undefined>();
    expectTypeOf<OperationReply<'startWorkflow'>>().toEqualTypeOf<undefined>();
    expectTypeOf<OperationReply<'deleteDatatableEntry'>>().toEqualTypeOf<undefined>();
  });

  test('of several operations is any of their replies', () => {
    type Either = OperationReply<'getPerson' | 'startWorkflow'>;
    expectTypeOf<Either>().toEqualTypeOf<Schemas['PersonQueryInfo'] | undefined>();
  });

  test('of every list has a list and a pagination', () => {
    type Lists = { [Id in ListOperationId]: OperationReply<Id> }[ListOperationId];
    expectTypeOf<Lists>().toExtend<{ list?: unknown[]; pagination?: Schemas['Pagination'] }>();
    expectTypeOf<Lists>().toHaveProperty('list');
    expectTypeOf<Lists>().toHaveProperty('pagination');
  });

  test('has loose records where the specification shows no members', () => {
    type Loose = { [key: string]: unknown };
    expectTypeOf<OperationReply<'listObjectProperties'>>()
      .toHaveProperty('list')
      .toEqualTypeOf<Loose[] | undefined>();
    expectTypeOf<OperationReply<'getObject'>>()
      .toHaveProperty('properties')
      .toEqualTypeOf<Loose[] | undefined>();
    expectTypeOf<OperationReply<'getOrg'>>().toHaveProperty('persons').toEqualTypeOf<Loose[] | undefined>();
    expectTypeOf<OperationReply<'readCurrent'>>().toEqualTypeOf<Loose>();
  });

  test('has integers of 64 bits as number or bigint', () => {
    expectTypeOf<Schemas['AlarmCurrentInfo']>()
      .toHaveProperty('priority')
      .toEqualTypeOf<number | bigint | undefined>();
    expectTypeOf<Schemas['AlarmHistoryInfo']>().toHaveProperty('status').toEqualTypeOf<string | undefined>();
  });
});
