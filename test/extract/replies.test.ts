import { describe, expect, it } from 'vitest';
import { readReply } from '../../src/extract/replies.ts';
import { openStubClient } from '../support/stub/client.ts';

const network = { children: [{ name: 'line1' }, { name: 'line2' }] };
const details = { '/openapi/networks/v1/plant%2F1': network };

function records(reply: unknown): readonly unknown[] {
  const { children } = reply as { children: unknown };
  if (!Array.isArray(children)) throw new TypeError('children is no list');
  return children;
}

const request = { operation: 'getNetwork', path: { networkName: 'plant/1' }, records } as const;

describe('reading a reply that is not paged', () => {
  it('gives its records as one page with the bytes of the reply', async () => {
    const { platform, stub } = await openStubClient({ details });
    const page = await readReply(platform, { ...request, query: { recursion: 'recursion' } });
    const bytes = JSON.stringify(network).length;
    expect(page).toEqual({ items: network.children, total: undefined, bytes, digest: expect.any(String) });
    expect(stub.journal.at(-1)?.rawQuery).toBe('recursion=recursion');
  });

  it('says which reply does not hold the records', async () => {
    const { platform } = await openStubClient({
      details: { '/openapi/networks/v1/plant%2F1': { children: 'none' } },
    });
    await expect(readReply(platform, request)).rejects.toMatchObject({
      name: 'PlatformError',
      kind: 'malformed',
      action: 'skip',
      operation: 'getNetwork',
      message: expect.stringMatching(/^getNetwork of plant\/1 failed: .*children is no list$/),
    });
  });

  it('throws a mistake of the declaration as it is', async () => {
    const { platform } = await openStubClient({ details });
    const broken = {
      ...request,
      records: () => {
        throw new RangeError('a mistake');
      },
    };
    await expect(readReply(platform, broken)).rejects.toThrow(RangeError);
  });

  it('passes on what the platform refuses', async () => {
    const { platform } = await openStubClient();
    await expect(readReply(platform, request)).rejects.toMatchObject({ kind: 'missing' });
  });
});
