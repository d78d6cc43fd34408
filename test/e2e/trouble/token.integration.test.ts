import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { onlyStreams } from '../../support/stream-switches.ts';
import { makeStubPlant } from '../../support/stub/stub-plant.ts';

const PERSONS = '/openapi/persons/v1';
const OBJECTS = '/openapi/objects/v1';
function entries(count: number): { name: string }[] {
  return Array.from({ length: count }, (_, k) => ({ name: `entry ${k}` }));
}

describe('the access token', () => {
  it('is taken once where its lifetime comes as text', async () => {
    const { run, stub, databases } = await makeStubPlant({ lists: { [PERSONS]: entries(1_000) } });
    expect(await run(['sync', 'persons'])).toMatchObject({ code: 0 });
    expect(stub.tokenRequests()).toHaveLength(1);
    expect(stub.requestsTo(PERSONS).filter(({ path }) => path === PERSONS)).toHaveLength(10);
    expect(await databases.count('persons')).toBe(1_000);
  });

  it('is renewed in time while a list takes longer than it lives', async () => {
    const { run, stub, databases } = await makeStubPlant({
      lists: { [PERSONS]: entries(1_000) },
      expiresIn: '6',
      tokenLivesMs: 6_000,
      answer: ({ path }, platform) => {
        platform.script.delayMs = path === PERSONS ? 1_000 : 0;
        return undefined;
      },
    });
    // Pages are read one after the other. Otherwise the list would end before the token does.
    const oneByOne = { PLANTSYNC_PLATFORM__MAX_CONCURRENCY: '1' };
    expect(await run(['sync', 'persons'], oneByOne)).toMatchObject({ code: 0 });
    expect(await databases.count('persons')).toBe(1_000);
    expect(stub.tokenRequests().length).toBeGreaterThanOrEqual(2);
    expect(stub.tokenRequests().length).toBeLessThanOrEqual(11);
    const pages = stub
      .requestsTo(PERSONS)
      .filter(({ path }) => path === PERSONS)
      .map(({ query }) => query.get('page'));
    for (const page of pages) expect(pages.filter((other) => other === page).length).toBeLessThanOrEqual(2);
  });

  it('is renewed once, and only refused pages asked again, when it is revoked in the middle of a list', async () => {
    const { run, stub, databases } = await makeStubPlant({
      lists: { [PERSONS]: entries(500) },
      answer: (request, platform) => {
        if (
          request.path === PERSONS &&
          request.query.get('page') === '3' &&
          platform.tokenRequests().length === 1
        )
          platform.revokeTokens();
        return undefined;
      },
    });
    expect(await run(['sync', 'persons'])).toMatchObject({ code: 0 });
    const pages = stub
      .requestsTo(PERSONS)
      .filter(({ path }) => path === PERSONS)
      .map(({ query }) => query.get('page'));
    // Pages that were read at the same time as the refused page, in any order, had the same token.
    expect([...new Set(pages)].sort()).toEqual(['1', '2', '3', '4', '5']);
    expect(pages.filter((page) => page === '1')).toHaveLength(1);
    for (const page of ['2', '3', '4', '5'])
      expect(pages.filter((other) => other === page).length).toBeLessThanOrEqual(2);
    expect(stub.tokenRequests()).toHaveLength(2);
    expect(await databases.count('persons')).toBe(500);
  });

  it('that is refused everywhere ends the run soon, with a message that names the list', async () => {
    const { run, stub } = await makeStubPlant({
      lists: { [PERSONS]: entries(500) },
      answer: ({ path }) =>
        path.startsWith('/openapi')
          ? { status: 401, body: { code: '800001', message: 'invalid token' } }
          : undefined,
    });
    const { code, output } = await run(['sync', 'persons']);
    expect(code).toBe(1);
    expect(output).toMatch(/persons/i);
    expect(output).toMatch(/refused|authori/i);
    expect(stub.tokenRequests().length).toBeLessThanOrEqual(4);
  });

  it('comes from a new grant where the refresh token is refused, and the service lives on', async () => {
    const { run, start, stub, databases } = await makeStubPlant(
      {
        lists: { [OBJECTS]: entries(800) },
        current: { 'pump1.temp': 1 },
        expiresIn: '3',
        tokenLivesMs: 3_000,
        answer: ({ path }, platform) => {
          if (path.endsWith('/refreshToken'))
            return { status: 400, body: { code: '800001', message: 'refreshToken invalid' } };
          platform.script.delayMs = path === OBJECTS ? 1_000 : 0;
          return undefined;
        },
      },
      ({ postgres }) => ({
        postgres,
        streams: onlyStreams('objects'),
        runtime: [{ objects: 'pump1', properties: 'temp', current: { every: '1s' }, history: false }],
      }),
    );
    expect(await run(['sync', 'objects'])).toMatchObject({ code: 0 });
    expect(await databases.count('objects')).toBe(800);
    const refreshes = stub.tokenRequests().filter(({ path }) => path.endsWith('/refreshToken'));
    expect(refreshes.length).toBeLessThanOrEqual(stub.requestsTo(OBJECTS).length);
    for (const refresh of refreshes) {
      const next = stub.tokenRequests()[stub.tokenRequests().indexOf(refresh) + 1];
      expect(next?.query.get('grantType')).toBe('client_credential');
    }
    const before = await databases.count('samples_polled');
    const service = start(['run']);
    while ((await databases.count('samples_polled')) < before + 8) await sleep(200);
    expect(service.process.exitCode).toBeNull();
    service.process.kill('SIGTERM');
    expect(await service.ended).toMatchObject({ code: 0 });
  });
});
