import { describe, expect, it } from 'vitest';
import { always, first, generalError } from '../support/stub/answers.ts';
import { openStubClient } from '../support/stub/client.ts';

describe('a write', () => {
  const table = '/openapi/datatable/v1/t1/addDataTableEntry';
  const add = { path: { objName: 't1' }, body: { a: 1 } };

  it('is sent once where it may have arrived, and the error says so', async () => {
    for (const answer of [
      { status: 500 },
      { status: 503 },
      { fault: 'reset' },
      generalError('x', '800002'),
    ] as const) {
      const { stub, platform } = await openStubClient({ answer: always(table, answer) });
      await expect(platform.call('addDatatableEntry', add)).rejects.toMatchObject({
        kind: 'unavailable',
        action: 'stop',
        message: expect.stringContaining('may have been carried out'),
      });
      expect(stub.requestsTo(table)).toHaveLength(1);
    }
  });

  it('is sent again where it surely was not carried out', async () => {
    const answers = [{ status: 429 }, { status: 503, headers: { 'retry-after': '1' } }, { status: 401 }];
    const { stub, platform } = await openStubClient({ answer: first(table, answers) });
    await platform.call('addDatatableEntry', add);
    expect(stub.requestsTo(table).map(({ status, text }) => [status, text])).toEqual([
      [429, '{"a":1}'],
      [503, '{"a":1}'],
      [401, '{"a":1}'],
      [201, '{"a":1}'],
    ]);
  });

  it.each([
    ['deleteDatatableEntry', {}],
    ['deleteDatatableEntry', undefined],
    ['addDatatableEntry', {}],
    ['updateDatatableEntry', { update: { a: 1 }, where: {} }],
    ['updateDatatableEntry', { update: { a: 1 } }],
    ['updateDatatableEntry', { update: {}, where: { a: 1 } }],
  ] as const)('is refused before it is sent: %s with %j', async (id, body) => {
    const { stub, platform } = await openStubClient();
    const input = { path: { objName: 't1' }, ...(body === undefined ? {} : { body }) };
    await expect(platform.call(id, input)).rejects.toMatchObject({
      kind: 'parameter',
      operation: id,
      message: expect.stringContaining('nothing was sent'),
    });
    expect(stub.journal).toEqual([]);
  });

  it('resolves to nothing', async () => {
    const { stub, platform } = await openStubClient();
    const where = { path: { objName: 't1' }, body: { a: 1 } };
    expect(await platform.call('deleteDatatableEntry', where)).toBeUndefined();
    expect(stub.journal.at(-1)).toMatchObject({ method: 'POST', text: '{"a":1}' });
  });
});
