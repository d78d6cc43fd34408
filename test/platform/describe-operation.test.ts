import { expect, it } from 'vitest';
import { describeOperation } from '../../src/platform/describe-operation.ts';
import { type Operation, type OperationId, operations } from '../../src/platform/operations.ts';

it.each(Object.entries<Operation>(operations))(
  'knows exactly the path parameters of %s',
  (id, { path, method }) => {
    const { parameters, summary, body } = describeOperation(id as OperationId);
    const inPath = parameters.filter((each) => each.in === 'path').map(({ name }) => name);
    expect(inPath.sort()).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort());
    expect(summary).not.toBe('');
    if (method === 'GET') expect(body).toBe('none');
    else expect(body).not.toBe('none');
  },
);

it('follows references, and names the only value that a parameter takes', () => {
  expect(describeOperation('getClientAccessToken').parameters).toMatchObject([
    { name: 'appid' },
    { name: 'grantType', only: 'client_credential' },
    { name: 'secret' },
  ]);
});
