// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the configuration has this syntax of its own.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Lexer } from 'yaml';
import { loadConfig } from '../../src/config/load.ts';

const path = join(mkdtempSync(join(tmpdir(), 'plantsync-linear-')), 'plantsync.yaml');
const session = new Session();
beforeAll(async () => {
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
});
afterAll(async () => {
  await session.post('Profiler.stopPreciseCoverage');
  session.disconnect();
  rmSync(join(path, '..'), { recursive: true });
});

async function load(text: string): Promise<void> {
  writeFileSync(path, text);
  await loadConfig({ path, env: {} }).catch(() => undefined);
}

/** Counts the calls of all functions, ours and those of libraries, while a configuration is read. */
async function countCalls(text: string): Promise<number> {
  await session.post('Profiler.takePreciseCoverage');
  await load(text);
  const { result } = await session.post('Profiler.takePreciseCoverage');
  // The runner of the tests works meanwhile.
  const counted = result.filter(({ url }) =>
    /\/src\/(?!.*node_modules)|\/node_modules\/(?!vite|@vitest)/.test(url),
  );
  const ranges = counted.flatMap(({ functions }) => functions.flatMap((each) => each.ranges));
  return ranges.reduce((sum, { count }) => sum + count, 0);
}

const lines = (make: (k: number) => string) => (count: number) =>
  Array.from({ length: count }, (_, k) => make(k)).join('\n');

const kinds: Readonly<Record<string, (count: number) => string>> = {
  'unknown keys': lines((k) => `odd${k}: 1`),
  'unknown keys of one map': (count) => `platform:\n${lines((k) => `  odd${k}: 1`)(count)}`,
  'keys that are there twice': lines(() => 'runtime: []'),
  'anchors and aliases': lines((k) => `a${k}: &a${k} x\nb${k}: *a${k}`),
  'aliases without anchors': lines((k) => `a${k}: *a${k}`),
  'merge keys': (count) => `a: &a { b: 1 }\n${lines((k) => `c${k}: { <<: *a }`)(count)}`,
  'quotation marks': lines(() => '"'),
  'brackets without end': (count) => `runtime: ${'[\n'.repeat(count)}`,
  'variables without end': (count) => `log: { level: "${'${A:-'.repeat(count)}" }`,
  'missing variables': lines((k) => `a${k}: "\${MISSING_${k}}"`),
  'selections with a mistake each': (count) => `runtime:\n${lines((k) => `- { objekts: a${k} }`)(count)}`,
  comments: lines((k) => `# ${k}`),
};

describe('the work to read a configuration grows with its length, and no faster', () => {
  it.each(Object.keys(kinds))('%s', async (name) => {
    const make = kinds[name] ?? String;
    // Makes what is made once in a process.
    await load(make(200));
    const [few, many] = [await countCalls(make(200)), await countCalls(make(800))];
    expect(few).toBeGreaterThan(50);
    expect(many / few).toBeLessThan(4.5);
  });
});

it('a text is read once', async () => {
  const lex = vi.spyOn(Lexer.prototype, 'lex');
  await load('log: { level: info }\n');
  expect(lex).toHaveBeenCalledTimes(1);
  lex.mockRestore();
});
