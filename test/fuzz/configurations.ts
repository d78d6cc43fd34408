import { writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { stringify } from 'yaml';
import { readJsonSchema } from '../../src/config/json-schema.ts';
import { loadConfig } from '../../src/config/load.ts';
import { createConfigRedactor } from '../../src/config/redactor.ts';
import { UsageError } from '../../src/errors.ts';
import { secret } from './readers.ts';

const good = {
  platform: { baseUrl: 'https://plant.test', appId: 'app', secret },
  postgres: { url: 'postgres://u@127.0.0.1/p', password: secret },
};

/** Lists the paths of all options. */
function optionsIn(schema: unknown, path: string[] = []): string[][] {
  const properties = (schema as { properties?: Record<string, unknown> }).properties ?? {};
  return Object.entries(properties).flatMap(([name, inner]) => [
    [...path, name],
    ...optionsIn(inner, [...path, name]),
  ]);
}

const paths = optionsIn(readJsonSchema());
const scalars = fc.oneof(
  fc.constantFrom(
    ...[
      null,
      true,
      0,
      -1,
      1e308,
      '',
      ' ',
      '5s',
      '5 MB',
      '10 %',
      '*/10 * * * *',
      'off',
      'any',
      '${',
      '${A:-b',
      '$${A}',
    ],
    ...[
      'https://a',
      'redis://u@h',
      'postgres://',
      'CST',
      'Europe/Berlin',
      '{a,',
      '[',
      '\u001b[2J',
      '__proto__',
    ],
    ...['9'.repeat(5_000), '${A:-'.repeat(5_000), '('.repeat(5_000)],
  ),
  fc.string(),
  fc.integer(),
);
const values = fc.oneof(
  scalars,
  fc.array(scalars, { maxLength: 3 }),
  fc.dictionary(fc.string(), scalars, { maxKeys: 3 }),
);

/** The text of a configuration: some options with odd values, or odd text. */
export const configurations: fc.Arbitrary<string> = fc.oneof(
  {
    arbitrary: fc.array(fc.tuple(fc.constantFrom(...paths), values), { maxLength: 6 }).map(write),
    weight: 24,
  },
  { arbitrary: fc.string({ maxLength: 200 }), weight: 5 },
  {
    arbitrary: fc
      .constantFrom('[', '{a: ', '- ', '? ', '&a ', '"', '!!')
      .chain((piece) => fc.integer({ min: 1, max: 3_000 }).map((times) => piece.repeat(times))),
    weight: 1,
  },
);

function write(options: readonly (readonly [readonly string[], unknown])[]): string {
  const tree = structuredClone(good) as Record<string, unknown>;
  for (const [path, value] of options) {
    let level: Record<string, unknown> = tree;
    for (const name of path.slice(0, -1)) {
      if (typeof level[name] !== 'object' || level[name] === null) level[name] = {};
      level = level[name] as Record<string, unknown>;
    }
    level[path.at(-1) as string] = value;
  }
  return stringify(tree);
}

/**
 * Loads a configuration and hides its secrets. Resolves to the message of its problems, or to undefined
 * without a problem. Throws any other error.
 */
export async function loadMutated(file: string, text: string): Promise<string | undefined> {
  writeFileSync(file, text);
  try {
    const hideSecrets = createConfigRedactor(await loadConfig({ path: file, env: {} }));
    return hideSecrets(secret) === '***' ? undefined : secret;
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
}
