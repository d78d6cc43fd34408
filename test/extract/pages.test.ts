import { describe, expect, it } from 'vitest';
import { type ListRequest, type ListScanEnd, readPages } from '../../src/extract/pages.ts';
import { openStubClient } from '../support/stub/client.ts';
import type { StubAnswer, StubRequest, StubScript } from '../support/stub/platform.ts';

const PERSONS = '/openapi/persons/v1';

type Person = { name: string | null };

function people(count: number): Person[] {
  return Array.from({ length: count }, (_, k) => ({ name: `person ${k}` }));
}

const request: ListRequest = {
  operation: 'listPersons',
  pageSize: 100,
  keyOf: (record) => (record as Person).name ?? undefined,
  pagesAtOnce: 4,
  trustTotal: true,
  proveEnd: false,
};

interface Read {
  names: unknown[];
  end: ListScanEnd;
  /** Page numbers that were asked for. */
  asked: number[];
}

async function readPersons(script: StubScript, how: Partial<ListRequest> = {}): Promise<Read> {
  const client = await openStubClient(script);
  const names: unknown[] = [];
  const end = await readPages(client.platform, { ...request, ...how }, async ({ items }) => {
    for (const item of items) names.push((item as Person).name);
  });
  const asked = client.stub.requestsTo(PERSONS).map(pageOf);
  return { names, end, asked: asked.sort((a, b) => a - b) };
}

function pageOf({ query }: StubRequest): number {
  return Number(query.get('page'));
}

interface Paging {
  readonly size?: number;
  /** Returns the page that is served instead of the one asked for. */
  readonly serve?: (page: number) => number;
}

/** Answers pages of 100 entries with the given pagination. Page numbers count from 1. */
function paged(
  all: readonly unknown[],
  pagination: (page: number) => object | undefined,
  { size = 100, serve = (page) => page }: Paging = {},
): StubScript {
  return {
    answer: (asked): StubAnswer | undefined => {
      if (asked.path !== PERSONS) return undefined;
      const page = serve(pageOf(asked));
      const list = all.slice((page - 1) * size, page * size);
      const stated = pagination(page);
      return { body: stated === undefined ? { list } : { list, pagination: stated } };
    },
  };
}

const total = (number: number) => () => ({ total: number });

describe('reading a list', () => {
  it('ends without another request when the entries received equal the total stated on every page', async () => {
    const { names, end, asked } = await readPersons({ lists: { [PERSONS]: people(1_000) } });
    expect([new Set(names).size, asked.length]).toEqual([1_000, 10]);
    expect(end).toEqual({ complete: true, stable: true, pages: 10, records: 1_000 });
  });

  it.each([
    ['stated on the first page only', (page: number) => (page === 1 ? { total: 230 } : {})],
    ['sent as text', () => ({ total: '230' })],
    ['always 0', total(0)],
    ['and its whole member absent', () => undefined],
  ])('gets every entry where the total is %s', async (_, pagination) => {
    for (const proveEnd of [false, true]) {
      const { names, end, asked } = await readPersons(paged(people(230), pagination), { proveEnd });
      expect(new Set(names).size).toBe(230);
      expect(end).toMatchObject({ complete: true, stable: true });
      expect(asked.length).toBeLessThanOrEqual(4);
    }
  });

  it('goes on where the platform serves smaller pages than asked for', async () => {
    const script = paged(people(45), () => ({ pageSize: 20, total: 45 }), { size: 20 });
    const { names, asked } = await readPersons(script);
    expect([names.length, asked]).toEqual([45, [1, 2, 3]]);
  });

  it('counts entries without a key as received, so that a page of them does not end the list', async () => {
    const all = people(250).map((person, k) => (k >= 100 && k < 160 ? { name: null } : person));
    const { names, end, asked } = await readPersons(paged(all, total(250)));
    expect(new Set(names).size).toBe(190 + 1);
    expect(asked).toEqual([1, 2, 3]);
    expect(end.records).toBe(250);
  });

  it('does not go on for ever where no entry has a key and pages repeat', async () => {
    const { end } = await readPersons(paged([{ name: null }], () => undefined, { serve: () => 1 }));
    expect(end).toMatchObject({ complete: false, problem: expect.stringContaining('has a key') });
  });

  it('does not ask beyond the end, unless it is to be proven, where a page past the end repeats the last one', async () => {
    const script = paged(people(200), total(200), { serve: (page) => Math.min(page, 2) });
    const { names, asked } = await readPersons(script);
    expect([names.length, asked]).toEqual([200, [1, 2]]);
    const proven = await readPersons(script, { proveEnd: true });
    expect([proven.names.length, proven.asked]).toEqual([200, [1, 2, 3]]);
    expect(proven.end).toEqual({ complete: true, stable: true, pages: 3, records: 200 });
  });

  it.each([
    ['no total', () => undefined],
    ['a total of many pages', total(100_000)],
  ])('gives up, and says so, where paging does not advance, with %s', async (_, pagination) => {
    const { names, end, asked } = await readPersons(paged(people(100), pagination, { serve: () => 1 }));
    expect(names).toHaveLength(100);
    expect(asked.length).toBeLessThanOrEqual(7);
    expect(end).toMatchObject({ complete: false, problem: expect.stringContaining('does not advance') });
  });

  it('hands pages on in their order, one at a time, though they come in another', async () => {
    const script = paged(people(600), total(600));
    const answer = async (asked: StubRequest): Promise<StubAnswer | undefined> => {
      const given = await script.answer?.(asked, undefined as never);
      return given && { ...given, delayMs: pageOf(asked) % 2 === 0 ? 20 : 0 };
    };
    const client = await openStubClient({ answer });
    const seen: unknown[] = [];
    let busy = 0;
    await readPages(client.platform, request, async ({ items }) => {
      busy += 1;
      expect(busy).toBe(1);
      await new Promise((resolve) => setImmediate(resolve));
      seen.push(...items);
      busy -= 1;
    });
    expect(seen).toEqual(people(600));
  });
});

describe('a total that is wrong', () => {
  it.each([
    ['ends in the middle of a page', 215],
    ['ends with a page', 200],
    ['is 0', 0],
  ])('is told, and costs no entry, where it is too low and %s', async (_, stated) => {
    const { names, end } = await readPersons(paged(people(230), total(stated)), { proveEnd: true });
    expect(names).toHaveLength(230);
    expect(end).toMatchObject({ complete: true, stable: true, totalIsWrong: true });
    expect(end).not.toHaveProperty('shortOfTotal');
  });

  it('is told where it promises more than there is, with what is missing, after a look beyond the first empty page', async () => {
    const { names, end, asked } = await readPersons(paged(people(230), total(237)));
    expect(names).toHaveLength(230);
    expect(asked).toEqual([1, 2, 3, 4, 5]);
    expect(end).toMatchObject({ complete: true, stable: true, totalIsWrong: true, shortOfTotal: 7 });
  });

  it('is no longer looked at once it is not trusted, but what it promises is still told', async () => {
    const low = await readPersons(paged(people(230), total(100)), { trustTotal: false });
    expect(low.names).toHaveLength(230);
    expect(low.end).toEqual({ complete: true, stable: true, pages: 4, records: 230 });
    const varying = await readPersons(
      paged(people(230), (page) => ({ total: 100 * page })),
      {
        trustTotal: false,
      },
    );
    expect(varying.end).toMatchObject({ complete: true, stable: true, records: 230 });
    const high = await readPersons(paged(people(230), total(237)), { trustTotal: false });
    expect(high.asked).toEqual([1, 2, 3, 4, 5]);
    expect(high.end).toEqual({ complete: true, stable: true, pages: 5, records: 230, shortOfTotal: 7 });
  });

  it('is believed where the last page is not full, and put to the proof where it is, if that is wished', async () => {
    const proveFullPages = true;
    const partial = await readPersons(paged(people(230), total(230)), { proveFullPages });
    expect(partial.asked).toEqual([1, 2, 3]);
    const full = await readPersons(paged(people(200), total(200)), { proveFullPages });
    expect(full).toMatchObject({ asked: [1, 2, 3], end: { complete: true, stable: true, records: 200 } });
    const lying = await readPersons(paged(people(230), total(200)), { proveFullPages });
    expect(lying.names).toHaveLength(230);
    expect(lying.end).toMatchObject({ complete: true, totalIsWrong: true });
    const smaller = await readPersons(paged(people(130), total(100), { size: 50 }), { proveFullPages });
    expect(smaller.names).toHaveLength(130);
  });

  it('is no proof where an entry comes twice on a page and the total counts it once', async () => {
    const twice = people(100);
    twice.splice(4, 0, { name: 'person 3' });
    const { names, end } = await readPersons(paged(twice, total(100)));
    expect(names).toContain('person 99');
    expect(end).toMatchObject({ complete: true, stable: true });
  });

  it('is not what a list looks like that grew after its last page was read', async () => {
    const grown = [...people(200), { name: 'new' }];
    const script = paged(grown, (page) => ({ total: page > 2 ? 201 : 200 }));
    const { names, end } = await readPersons(script, { proveEnd: true });
    expect(names).toHaveLength(201);
    expect(end).toMatchObject({ complete: true, stable: false });
    expect(end).not.toHaveProperty('totalIsWrong');
  });
});

describe('a reply that proves nothing', () => {
  const doubtful = (body: object): StubScript => ({
    answer: (asked): StubAnswer | undefined => (asked.path === PERSONS ? { body } : undefined),
  });

  it('is an empty list whose total promises entries, and its total is not called wrong for it', async () => {
    for (const trustTotal of [true, false]) {
      const script = doubtful({ list: [], pagination: { total: 50 } });
      const { end, asked } = await readPersons(script, { trustTotal, proveEnd: true });
      expect(end).toEqual({
        complete: false,
        stable: true,
        pages: 2,
        records: 0,
        problem: expect.stringContaining('its total says 50'),
        unproven: true,
      });
      expect(asked).toEqual([1, 2]);
    }
  });

  it('is not an empty list of many whose totals are known to be wrong', async () => {
    const script = doubtful({ list: [], pagination: { total: 7 } });
    const how = { hasSiblings: true, trustTotal: false };
    expect((await readPersons(script, how)).end).toMatchObject({ complete: true, shortOfTotal: 7 });
    expect((await readPersons(script, { ...how, trustTotal: true })).end).toMatchObject({ unproven: true });
  });

  it.each([
    ['a message', { message: 'two entries are hidden' }],
    ['a code', { code: '800001' }],
  ])('is a list with %s, unless its total says that these are all', async (_, more) => {
    const paging = paged(people(30), () => undefined);
    const complaining = (total?: number): StubScript => ({
      answer: async (asked, stub) => {
        const given = await paging.answer?.(asked, stub);
        const { list } = (given?.body ?? {}) as { list?: unknown[] };
        if (list === undefined) return undefined;
        const said = list.length > 0 ? more : {};
        return { body: { list, ...said, ...(total !== undefined && { pagination: { total } }) } };
      },
    });
    const { names, end } = await readPersons(complaining());
    expect(names).toHaveLength(30);
    expect(end).toMatchObject({
      complete: false,
      unproven: true,
      problem: expect.stringContaining('no success'),
    });
    expect((await readPersons(complaining(30))).end).toMatchObject({ complete: true, records: 30 });
    expect((await readPersons(complaining(31))).end).toMatchObject({ complete: false, unproven: true });
  });
});

describe('a list that changes while it is read', () => {
  it('is noticed by its total', async () => {
    const { end } = await readPersons(paged(people(230), (page) => ({ total: page === 1 ? 230 : 231 })));
    expect(end).toMatchObject({ complete: true, stable: false });
  });

  it('is noticed by an entry that comes on two pages, and not by one that comes twice on a page', async () => {
    const moved = people(230);
    moved.splice(100, 0, { name: 'person 3' });
    expect((await readPersons(paged(moved, total(231)))).end).toMatchObject({
      complete: true,
      stable: false,
    });
    const twice = people(230);
    twice.splice(4, 0, { name: 'person 3' });
    expect((await readPersons(paged(twice, total(231)))).end).toMatchObject({ complete: true, stable: true });
  });

  it('is noticed by a page that is empty although the next one is not', async () => {
    const script = paged(people(500), total(500), { serve: (page) => (page === 3 ? 99 : page) });
    const { names, end } = await readPersons(script);
    expect(names).toHaveLength(400);
    expect(end.stable).toBe(false);
  });
});

describe('a failure', () => {
  it('of a page is thrown after the pages before it were handed on, and ends the others', async () => {
    const script = paged(people(1_000), total(1_000));
    const client = await openStubClient({
      answer: (asked, stub) => {
        if (asked.path === PERSONS && pageOf(asked) === 4)
          return { status: 400, body: { code: '800003', message: 'no such page' } };
        if (asked.path === PERSONS && pageOf(asked) > 4) return { fault: 'silent' };
        return script.answer?.(asked, stub);
      },
    });
    const names: unknown[] = [];
    const reading = readPages(client.platform, request, async ({ items }) => void names.push(...items));
    await expect(reading).rejects.toMatchObject({ kind: 'parameter', operation: 'listPersons' });
    expect(names).toHaveLength(300);
  });

  it('of the receiver is thrown, and ends the pages under way', async () => {
    const script = paged(people(1_000), total(1_000));
    const client = await openStubClient({
      answer: (asked, stub) =>
        asked.path === PERSONS && pageOf(asked) > 1 ? { fault: 'silent' } : script.answer?.(asked, stub),
    });
    const reading = readPages(client.platform, request, () => Promise.reject(new Error('the store is full')));
    await expect(reading).rejects.toThrow('the store is full');
  });

  it('follows an interruption at once', async () => {
    const controller = new AbortController();
    const script = paged(people(1_000), total(1_000));
    const client = await openStubClient({
      answer: (asked, stub) => {
        if (asked.path !== PERSONS || pageOf(asked) === 1) return script.answer?.(asked, stub);
        controller.abort();
        return { fault: 'silent' };
      },
    });
    const reading = readPages(
      client.platform,
      { ...request, signal: controller.signal },
      async () => undefined,
    );
    await expect(reading).rejects.toThrow('interrupted');
  });
});
