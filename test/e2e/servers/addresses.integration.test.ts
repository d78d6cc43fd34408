import { describe, expect, it } from 'vitest';
import { makeRole } from '../../support/postgres-role.ts';
import { createDatabase } from '../../support/servers/servers.ts';
import { makeStubPlant, smallPlant } from '../../support/stub/stub-plant.ts';

describe('the base URL', () => {
  it('may end in a slash', async () => {
    const { run, stub, databases } = await makeStubPlant(smallPlant());
    expect(await run(['sync'], { PLANTSYNC_PLATFORM__BASE_URL: `${stub.baseUrl}/` })).toMatchObject({
      code: 0,
    });
    expect(await databases.count('persons')).toBe(3);
    for (const { rawPath } of stub.journal) expect(rawPath).not.toContain('//');
  });

  it.each(['', '/'])('may carry a path prefix, ended by "%s"', async (end) => {
    const { run, stub, databases } = await makeStubPlant({ ...smallPlant(), prefix: '/gw' });
    expect(await run(['sync'], { PLANTSYNC_PLATFORM__BASE_URL: `${stub.baseUrl}${end}` })).toMatchObject({
      code: 0,
    });
    expect(await databases.count('persons')).toBe(3);
    for (const { rawPath } of stub.journal) expect(rawPath).toMatch(/^\/gw\/(openapi|oauth2)\/[^/]/);
  });
});

describe('a Postgres password of awkward characters', () => {
  it.each([
    ['beside the address', 'p@ss:w/rd#1%', false],
    ['encoded in the address', 'p@ss:w/rd#1%', true],
    ['that looks like a variable or is quoted', `$HOME '"\\ x`, false],
  ])('connects, %s', async (_, password, inUrl) => {
    const plant = await makeStubPlant(smallPlant(), undefined, createDatabase);
    const { postgres } = plant.databases.sections;
    const role = await makeRole(plant.databases, password);
    const url = new URL(postgres.url);
    url.username = role;
    if (inUrl) url.password = encodeURIComponent(password);
    plant.configure({
      ...plant.config,
      postgres: inUrl ? { url: url.href } : { url: url.href, password },
    });
    expect(await plant.run(['sync', 'persons'])).toMatchObject({ code: 0 });
    expect(
      await plant.databases.rows('select tableowner from pg_tables where tablename = $$persons$$'),
    ).toEqual([role]);
  });
});
