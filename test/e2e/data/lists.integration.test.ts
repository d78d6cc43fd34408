import { describe, expect, it } from 'vitest';
import { makeStubPlant, type StubPlant } from '../../support/stub/stub-plant.ts';
import type { StubAnswer, StubRequest, StubScript } from '../../support/stub/types.ts';

const USERS = '/openapi/users/v1';
const OBJECTS = '/openapi/objects/v1';
const PERSONS = '/openapi/persons/v1';

interface User {
  username: string | null;
  email?: string;
}

function users(count: number): User[] {
  return Array.from({ length: count }, (_, k) => ({ username: `user ${k}`, email: `u${k}@plant.example` }));
}

/** Returns the pages of the list, as their numbers were asked for. */
function askedPages(stub: StubPlant['stub'], path: string): string[] {
  return stub.journal.filter((request) => request.path === path).map(({ query }) => query.get('page') ?? '');
}

/** Answers requests for the users with pages of 100 and the given pagination. */
function pagesOfUsers(
  all: readonly User[],
  shape: (page: number) => { page?: number; pagination?: object },
): StubScript {
  return {
    answer: ({ path, query, token }: StubRequest): StubAnswer | undefined => {
      if (path !== USERS || token === undefined) return undefined;
      const { page = Number(query.get('page')), pagination } = shape(Number(query.get('page')));
      const list = all.slice((page - 1) * 100, page * 100);
      return { body: { list, ...(pagination && { pagination }) } };
    },
  };
}

describe('the end of a list', () => {
  it('is where the stated total is reached, though the platform repeats its last page for ever', async () => {
    const script = pagesOfUsers(users(200), (page) => ({
      page: Math.min(page, 2),
      pagination: { pageIndex: Math.min(page, 2), pageSize: 100, total: 200 },
    }));
    const { run, stub, databases } = await makeStubPlant(script);
    expect(await run(['sync', 'users'])).toMatchObject({ code: 0 });
    expect(askedPages(stub, USERS).length).toBeLessThanOrEqual(3);
    expect(await databases.count('users')).toBe(200);
    // A second sync proves the end by one more page, and loses and doubles nothing.
    expect(await run(['sync', 'users'])).toMatchObject({ code: 0 });
    expect(
      await databases.rows('select count(*) as all, count(deleted_at) as gone from plant.users'),
    ).toEqual([[200, 0]]);
  });

  it('is never reached where every page is the first: that is said, and other lists are not held up', async () => {
    const script = pagesOfUsers(users(100), () => ({ page: 1 }));
    script.lists = { [PERSONS]: [{ name: 'ann', showName: 'Ann', gender: 'female' }] };
    const { run, stub, databases } = await makeStubPlant(script);
    const { code, stdout } = await run(['sync']);
    expect(code).toBe(3);
    expect(stdout).toMatch(/users: .*does not advance/);
    expect(askedPages(stub, USERS).length).toBeLessThanOrEqual(5);
    expect(await databases.count('users')).toBe(100);
    expect(await databases.count('persons')).toBe(1);
  });

  it.each<[string, (page: number) => object | undefined]>([
    ['stated on the first page only', (page) => ({ pageIndex: page, ...(page === 1 ? { total: 230 } : {}) })],
    ['text', (page) => ({ pageIndex: page, total: '230' })],
    ['0', (page) => ({ pageIndex: page, total: 0 })],
    ['nowhere', () => undefined],
    ['that of the first page alone', (page) => ({ pageIndex: page, total: 223 })],
  ])('is found where the total is %s', async (_, pagination) => {
    const script = pagesOfUsers(users(230), (page) => {
      const shown = pagination(page);
      return shown === undefined ? {} : { pagination: shown };
    });
    const { run, stub, databases } = await makeStubPlant(script);
    expect(await run(['sync', 'users'])).toMatchObject({ code: 0 });
    expect(askedPages(stub, USERS).length).toBeLessThanOrEqual(4);
    expect(await databases.count('users')).toBe(230);
  });

  it('is found where the platform gives fewer entries per page than were asked for', async () => {
    const all = Array.from({ length: 45 }, (_, k) => ({ name: `object ${k}` }));
    const { run, stub, databases } = await makeStubPlant({
      answer: ({ path, query, token }) => {
        if (path !== OBJECTS || token === undefined) return undefined;
        const page = Number(query.get('page'));
        const list = all.slice((page - 1) * 20, page * 20);
        return { body: { list, pagination: { pageIndex: page, pageSize: 20, total: 45 } } };
      },
    });
    expect(await run(['sync', 'objects'])).toMatchObject({ code: 0 });
    expect(askedPages(stub, OBJECTS).sort()).toEqual(['1', '2', '3']);
    expect(await databases.count('objects')).toBe(45);
  });

  it('is beyond a total of just one full page', async () => {
    const script = pagesOfUsers(users(250), (page) => ({ pagination: { pageIndex: page, total: 100 } }));
    const { run, databases } = await makeStubPlant(script);
    expect(await run(['sync', 'users'])).toMatchObject({ code: 0 });
    expect(await databases.count('users')).toBe(250);
  });

  it('is proven by the second scan, so that a total which hides the rest loses nothing for long', async () => {
    const script = pagesOfUsers(users(250), (page) => ({ pagination: { pageIndex: page, total: 200 } }));
    const { run, databases } = await makeStubPlant(script);
    await run(['sync', 'users']);
    expect(await run(['sync', 'users'])).toMatchObject({ code: 0 });
    expect(await databases.count('users')).toBe(250);
  });
});

describe('entries that cannot be rows', () => {
  it('are skipped and counted; the others are stored', async () => {
    const all = users(250).map((user, k) => (k >= 100 && k < 160 ? { ...user, username: null } : user));
    const { run, stub, databases } = await makeStubPlant({ lists: { [USERS]: all } });
    const { stdout } = await run(['sync', 'users']);
    expect(askedPages(stub, USERS).sort()).toEqual(['1', '2', '3']);
    expect(await databases.count('users')).toBe(190);
    expect(stdout).toContain('60 entries could not be used');
  });
});

describe('rows', () => {
  it('of one key twice in a page are one, the last', async () => {
    const { run, databases } = await makeStubPlant({
      lists: {
        [USERS]: [
          { username: 'ann', email: 'a1@plant.example' },
          { username: 'bob', email: 'b@plant.example' },
          { username: 'ann', email: 'a2@plant.example' },
        ],
      },
    });
    await run(['sync', 'users']);
    expect(await databases.rows('select username, email from plant.users order by username')).toEqual([
      ['ann', 'a2@plant.example'],
      ['bob', 'b@plant.example'],
    ]);
  });

  it('keep unusual characters and long names; what Postgres cannot hold is replaced, and said', async () => {
    const objects = Array.from({ length: 100 }, (_, k): Record<string, string> => ({ name: `o${k}` }));
    Object.assign(objects[1] ?? {}, { description: 'Feed\u0000pump' });
    Object.assign(objects[2] ?? {}, { showName: '泵1 – Größe' });
    Object.assign(objects[3] ?? {}, { description: '\ud83d' });
    Object.assign(objects[4] ?? {}, { showName: 'x'.repeat(10_000) });
    const { start, databases } = await makeStubPlant({ lists: { [OBJECTS]: objects } });
    const { code, stderr } = await start(['sync', 'objects']).ended;
    expect(code).toBe(0);
    expect(await databases.count('objects')).toBe(100);
    const [row] = await databases.rows(
      `select (select description from plant.objects where name = 'o1') as a, (select show_name from plant.objects where name = 'o2') as b,
              (select description from plant.objects where name = 'o3') as c, (select show_name = repeat('x', 10000) from plant.objects where name = 'o4') as d`,
    );
    expect(row).toEqual(['Feed\ufffdpump', '泵1 – Größe', '\ufffd', true]);
    expect(stderr).toContain('"o1"');
    expect(stderr).toContain('"o3"');
  });

  it('of one very wide object are all there', async () => {
    const properties = Array.from({ length: 9_000 }, (_, k) => ({
      name: `p${String(k + 1).padStart(4, '0')}`,
      primitiveType: 'Double',
    }));
    const { run, stub, databases } = await makeStubPlant({
      lists: { [OBJECTS]: [{ name: 'big' }], [`${OBJECTS}/big/properties`]: properties },
      details: { [`${OBJECTS}/big`]: { name: 'big', templateName: 'Wide', properties } },
    });
    expect(await run(['sync', 'objects', 'object_properties'])).toMatchObject({ code: 0 });
    // The last page is full, so one more page is read as proof of the end.
    expect(askedPages(stub, `${OBJECTS}/big/properties`)).toHaveLength(91);
    expect(
      await databases.rows(
        'select count(*) as n, min(property) as a, max(property) as z from plant.object_properties',
      ),
    ).toEqual([[9_000, 'p0001', 'p9000']]);
    expect(await databases.rows('select template_name from plant.objects')).toEqual(['Wide']);
    // Nothing has changed, and nothing is missing.
    expect(await run(['sync', 'objects', 'object_properties'])).toMatchObject({ code: 0 });
    expect(
      await databases.rows('select count(*) as all, count(deleted_at) as gone from plant.object_properties'),
    ).toEqual([[9_000, 0]]);
  });

  it('of lists inside an entry read back in order and letter for letter', async () => {
    const labels = ['hot', 'north,side', 'a"b', '{x}'];
    const properties = [
      { name: 'a', primitiveType: 'Double', defaultValue: {} },
      { name: 'b', primitiveType: 'Double', defaultValue: { value: 0 } },
      { name: 'c', primitiveType: 'String', defaultValue: { value: '[1,2]' } },
      { name: 'd', primitiveType: 'Double' },
    ];
    const { run, databases } = await makeStubPlant({
      lists: {
        [OBJECTS]: [
          { name: 'one', modelLabels: labels },
          { name: 'two', modelLabels: [] },
          { name: 'three' },
        ],
        [`${OBJECTS}/one/properties`]: properties,
        [PERSONS]: [
          {
            name: 'ann',
            showName: 'Ann',
            gender: 'female',
            organizations: [
              { orgName: 'plant', nodeName: 'n1' },
              { orgName: 'plant', nodeName: 'n2' },
            ],
          },
        ],
      },
    });
    expect(await run(['sync', 'objects', 'object_properties', 'persons'])).toMatchObject({ code: 0 });
    expect(
      await databases.rows('select object, label from plant.object_labels order by object, position'),
    ).toEqual(labels.map((label) => ['one', label]));
    expect(
      await databases.rows('select person, org, node from plant.person_organizations order by position'),
    ).toEqual([
      ['ann', 'plant', 'n1'],
      ['ann', 'plant', 'n2'],
    ]);
    expect(
      await databases.rows(
        'select property, default_value::text from plant.object_properties order by property',
      ),
    ).toEqual([
      ['a', null],
      ['b', '0'],
      ['c', '"[1,2]"'],
      ['d', null],
    ]);
  });
});
