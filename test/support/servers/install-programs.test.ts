import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ensurePrograms, type Program } from './programs.ts';

let folder: string;
const programOf = (name: string): Program => ({
  commands: [`plantsync-test-${name}`],
  debianPackage: `plantsync-test-${name}`,
  variable: `PLANTSYNC_TEST_${name}`,
});
const programs = ['one', 'two'].map(programOf);
const quick = { boundMs: 60_000, pauseMs: 20 };

/**
 * Makes an apt-get that fails while another one runs, and for the first `refusals` calls. It installs empty
 * programs.
 */
async function fakeAptGet(refusals: number): Promise<void> {
  const script = `#!/bin/sh
refuse() { echo "E: Unable to lock directory /var/lib/apt/lists/" >&2; exit 100; }
mkdir '${folder}/busy' 2>/dev/null || refuse
trap "rmdir '${folder}/busy'" EXIT
sleep 0.1
echo "$@" >> '${folder}/asked'
[ "$(wc -l < '${folder}/asked')" -gt ${refusals} ] || refuse
for name in "$@"; do case $name in plantsync-test-*)
  printf '#!/bin/sh\\n' > "${folder}/$name" && chmod +x "${folder}/$name" ;; esac; done
`;
  const sudo = '#!/bin/sh\nshift\nexec "$@"\n';
  await writeFile(join(folder, 'apt-get'), script, { mode: 0o755 });
  await writeFile(join(folder, 'sudo'), sudo, { mode: 0o755 });
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plantsync-test-apt-'));
  vi.stubEnv('PATH', `${folder}:${process.env.PATH}`);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

test('several installations at once wait for each other and for any other holder of the lock', async () => {
  await fakeAptGet(3);
  const paths = programs.map(({ commands }) => join(folder, commands[0] ?? ''));
  const found = await Promise.all([1, 2, 3].map(() => ensurePrograms(programs, quick)));
  expect(found).toEqual([paths, paths, paths]);
});

test('a lock that is never given back ends in one sentence that names all that is missing', async () => {
  await fakeAptGet(1_000_000);
  await expect(ensurePrograms(programs, { boundMs: 200, pauseMs: 20 })).rejects.toThrow(
    /need plantsync-test-one, plantsync-test-two.*Unable to lock.*packages plantsync-test-one plantsync-test-two/s,
  );
});
