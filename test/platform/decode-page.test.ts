import { describe, expect, it } from 'vitest';
import { decodePage } from '../../src/platform/decode-page.ts';
import { MalformedReply } from '../../src/platform/failure.ts';

describe('decodePage', () => {
  it.each([
    [{ pageIndex: 1, pageSize: 100, total: 230 }, 230],
    [{ current: 1, size: 100, total: '230' }, 230],
    [{ page: 1, pagesize: 100 }, undefined],
    [{ total: 'many' }, undefined],
    [{ total: -1 }, undefined],
    [undefined, undefined],
    [null, undefined],
  ])('reads the total of %j', (pagination, total) => {
    expect(decodePage({ list: [1], pagination }, 7)).toEqual({ items: [1], total, bytes: 7 });
  });

  it('takes a null list for an empty one only if the total says 0', () => {
    expect(decodePage({ list: null, pagination: { total: 0 } }, 1).items).toEqual([]);
    expect(() => decodePage({ list: null, pagination: { total: 5 } }, 1)).toThrow(MalformedReply);
    expect(() => decodePage({ list: null }, 1)).toThrow(MalformedReply);
  });

  it.each([[{}], [{ list: {} }], [[]], ['text']])('refuses %j', (body) => {
    expect(() => decodePage(body, 1)).toThrow(MalformedReply);
  });
});
