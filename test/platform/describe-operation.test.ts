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

it('follows references, and leaves out what the client sends by itself', () => {
  expect(describeOperation('getClientAccessToken').parameters.map(({ name }) => name)).toEqual([
    'appid',
    'secret',
  ]);
});
