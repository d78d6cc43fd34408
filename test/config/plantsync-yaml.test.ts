import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { listOptions, SCHEMA_FILE } from '../../src/config/json-schema.ts';
import { loadConfig } from '../../src/config/load.ts';
import { makeJsonSchema } from '../../src/config/make-json-schema.ts';

const path = 'config/plantsync.yaml';
const manual = readFileSync(path, 'utf8');
/** The manual with its optional lines (`#key: value`) switched on. */
const complete = manual.replace(/^(\s*)#(?=\w+:)/gm, '$1');
const ownToTheUser = ['platform.baseUrl', 'platform.appId', 'platform.secret'];

function listLeaves(value: unknown, at = ''): [string, unknown][] {
  const isListOfMaps = Array.isArray(value) && value.some((item) => typeof item === 'object');
  if (isListOfMaps) return value.flatMap((item) => listLeaves(item, `${at}[]`));
  if (Array.isArray(value)) return [[at, value]];
  if (typeof value !== 'object' || value === null || at === 'influx.tags') return [[at, value]];
  return Object.entries(value).flatMap(([key, item]) => listLeaves(item, at === '' ? key : `${at}.${key}`));
}

describe('config/plantsync.yaml', () => {
  it('loads as it is, once the secret is in the environment', async () => {
    const config = await loadConfig({ path, env: { PLATFORM_SECRET: 'secret' } });
    expect(config.platform).toMatchObject({ secret: 'secret', pageSize: 100, requestTimeoutMs: 30_000 });
  });

  it('means the same as an empty file with the three values that only the user knows', async () => {
    const fromManual = await loadConfig({ path, env: { PLATFORM_SECRET: 'x' } });
    const env = {
      PLANTSYNC_CONFIG: '/dev/null',
      PLANTSYNC_PLATFORM__BASE_URL: 'https://platform.example',
      PLANTSYNC_PLATFORM__APP_ID: 'my-application',
      PLANTSYNC_PLATFORM__SECRET: 'x',
    };
    const fromDefaults = await loadConfig({ env });
    expect(fromManual).toEqual(fromDefaults);
  });

  it('names every option of the schema exactly once', () => {
    const named = listLeaves(parse(complete)).map(([key]) => key);
    expect(named.toSorted()).toEqual(
      listOptions()
        .map((option) => option.path)
        .toSorted(),
    );
  });

  it('states the default of every option that has one, and sets nothing else', () => {
    const hasDefault = listOptions().filter((option) => option.fallback !== undefined);
    const stated = Object.fromEntries(listLeaves(parse(complete)));
    for (const { path: key, fallback } of hasDefault) expect([key, stated[key]]).toEqual([key, fallback]);
    const set = listLeaves(parse(manual)).map(([key]) => key);
    expect(set.filter((key) => !hasDefault.some((option) => option.path === key))).toEqual(ownToTheUser);
  });
});

describe(SCHEMA_FILE, () => {
  it('is what npm run schema writes', () => {
    expect(JSON.parse(readFileSync(SCHEMA_FILE, 'utf8'))).toEqual(
      JSON.parse(JSON.stringify(makeJsonSchema())),
    );
  });

  it('describes every option', () => {
    expect(listOptions().filter((option) => !option.about)).toEqual([]);
  });
});
