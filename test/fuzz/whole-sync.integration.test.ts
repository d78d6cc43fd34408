import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StubRequest } from '../support/stub/platform.ts';
import { makeStubPlant, smallPlant } from '../support/stub/stub-plant.ts';
import { mutate, mutations } from './mutate.ts';

const secret = 'S3cret-word';
const read = ['sync', 'persons', 'objects', '--accept-deletes'];

describe('a whole sync of a platform that sends odd replies', () => {
  it.each([[1], [2], [3]])(
    'ends by a documented code, and a clean one leaves no wrong row (seed %i)',
    async (seed) => {
      const done = fc.sample(mutations, { seed, numRuns: 50 });
      let replies = 0;
      const { run, stub, databases } = await makeStubPlant(smallPlant(), ({ postgres }) => ({
        postgres,
        platform: { retries: 0, secret },
        limits: { deleteAfterMissing: 1 },
      }));
      const { baseUrl } = stub;
      const env = {
        PLANTSYNC_PLATFORM__BASE_URL: baseUrl,
        PLANTSYNC_PLATFORM__APP_ID: 'app',
        PLANTSYNC_PLATFORM__SECRET: secret,
      };
      stub.script.answer = (request: StubRequest) => {
        if (!request.path.startsWith('/openapi/') || request.token === undefined) return undefined;
        const { status, body } = stub.defaultAnswer(request);
        const each = done[replies % done.length] ?? [];
        replies += 1;
        return { ...(status === undefined ? {} : { status }), text: mutate(body, each) };
      };
      for (let k = 0; k < 3; k += 1) {
        const { code, output } = await run(read, env);
        expect([0, 1, 3]).toContain(code);
        expect(output).not.toMatch(/^\s+at .+:\d+:\d+/m);
        expect(output).not.toContain(secret);
      }
      expect(replies).toBeGreaterThan(2);
      delete stub.script.answer;
      for (let k = 0; k < 2; k += 1) expect(await run(read, env)).toMatchObject({ code: 0 });
      expect(
        await databases.rows(
          'select name, show_name, gender from plant.persons where deleted_at is null order by name',
        ),
      ).toEqual(['ann', 'bob', 'eve'].map((name) => [name, name, 'female']));
      expect(
        await databases.rows('select name from plant.objects where deleted_at is null order by name'),
      ).toEqual(['pump1', 'pump2']);
    },
  );
});
