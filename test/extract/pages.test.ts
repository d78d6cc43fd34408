import { describe, expect, it } from 'vitest';
import { readPages, type ScanEnd } from '../../src/extract/pages.ts';
import { openStubClient } from '../support/stub-client.ts';
import type { StubAnswer, StubScript } from '../support/stub-platform.ts';

const PERSONS = '/openapi/persons/v1';

function people(count: number): { name: string | null }[] {
  return Array.from({ length: count }, (_, k) => ({ name: `person ${k}` }));
}

interface Read {
  names: Set<unknown>;
  end: ScanEnd;
  pages: number;
}

async function readPersons(script: StubScript): Promise<Read> {
  const client = await openStubClient(script);
  const names = new Set<unknown>();
  const end = await readPages(
    client.platform,
    {
      operation: 'listPersons',
      pageSize: 100,
      keyOf: (record) => (record as { name: string | null }).name ?? undefined,
    },
    async ({ items }) => {
      for (const item of items) names.add((item as { name: unknown }).name);
    },
  );
  return { names, end, pages: client.stub.requestsTo(PERSONS).length };
}

/** Answers pages of 100 with a pagination of its own making; page numbers count from 1. */
function paged(
  all: readonly unknown[],
  pagination: (page: number) => object | undefined,
  size = 100,
): StubScript {
  return {
    answer: ({ path, query }): StubAnswer | undefined => {
      if (path !== PERSONS) return undefined;
      const page = Number(query.get('page'));
      const list = all.slice((page - 1) * size, page * size);
      const stated = pagination(page);
      return { body: stated === undefined ? { list } : { list, pagination: stated } };
    },
  };
}

describe('reading a list', () => {
  it('ends without another request when the entries received equal the total stated on every page', async () => {
    const { names, end, pages } = await readPersons({ lists: { [PERSONS]: people(1_000) } });
    expect([names.size, pages]).toEqual([1_000, 10]);
    expect(end).toEqual({ complete: true, stable: true, pages: 10, records: 1_000 });
  });

  it.each([
    ['stated on the first page only', (page: number) => (page === 1 ? { total: 230 } : {}), 4],
    ['sent as text', () => ({ total: '230' }), 3],
    ['always 0', () => ({ total: 0 }), 4],
    ['and its whole member absent', () => undefined, 4],
  ])('gets every entry where the total is %s', async (_, pagination, mostPages) => {
    const { names, end, pages } = await readPersons(paged(people(230), pagination));
    expect(names.size).toBe(230);
    expect(end.complete).toBe(true);
    expect(pages).toBeLessThanOrEqual(mostPages);
  });

  it('goes on where the platform serves smaller pages than asked for', async () => {
    const { names, pages } = await readPersons(paged(people(45), () => ({ pageSize: 20, total: 45 }), 20));
    expect([names.size, pages]).toEqual([45, 3]);
  });

  it('counts entries without a key as received, so that a page of them does not end the list', async () => {
    const all = people(250).map((person, k) => (k >= 100 && k < 160 ? { name: null } : person));
    const { names, end, pages } = await readPersons(paged(all, () => ({ total: 250 })));
    expect(names.size).toBe(190 + 1);
    expect(pages).toBe(3);
    expect(end.records).toBe(250);
  });

  it('does not ask beyond the end where a page past the end repeats the last one', async () => {
    const all = people(200);
    const script = paged(all, () => ({ total: 200 }));
    const { names, pages } = await readPersons({
      answer: (request, stub) => {
        if (Number(request.query.get('page')) > 2) request.query.set('page', '2');
        return script.answer?.(request, stub);
      },
    });
    expect([names.size, pages]).toEqual([200, 2]);
  });

  it('gives up, and says so, where paging does not advance', async () => {
    const { names, end, pages } = await readPersons({
      answer: ({ path }) => (path === PERSONS ? { body: { list: people(100) } } : undefined),
    });
    expect([names.size, pages]).toEqual([100, 3]);
    expect(end).toMatchObject({ complete: false, problem: expect.stringContaining('does not advance') });
  });

  it('notices that the list changed while it was read', async () => {
    const { end } = await readPersons(paged(people(230), (page) => ({ total: page === 1 ? 230 : 231 })));
    expect(end).toMatchObject({ complete: true, stable: false });
    const moved = people(230);
    moved.splice(100, 0, { name: 'person 3' });
    const repeated = await readPersons(paged(moved, () => ({ total: 231 })));
    expect(repeated.end.stable).toBe(false);
  });
});
