import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { listOptions, readJsonSchema } from '../../src/config/json-schema.ts';
import { type ErrorCode, errorCodes } from '../../src/error-codes/error-codes.ts';
import { renderErrors } from '../../src/error-codes/render-errors.ts';
import { codeOf, describeError, PlantsyncError, PlatformError } from '../../src/errors.ts';

const folders = ['../../src', '../../jobs'].map((name) => fileURLToPath(new URL(name, import.meta.url)));
const codes = Object.keys(errorCodes) as ErrorCode[];

/** Reads all source files except the list of codes. */
function readSources(): string {
  return folders
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((path) => path.endsWith('.ts') && !path.startsWith('error-codes'))
        .map((path) => readFileSync(join(folder, path), 'utf8')),
    )
    .join('\n');
}

describe('the list of error codes', () => {
  it('is the page docs/errors.md', () => {
    const written = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8');
    expect(written === renderErrors(), 'run npm run errors').toBe(true);
  });

  it('has a row of the page for every code, with three cells', () => {
    const rows = renderErrors()
      .split('\n')
      .filter((line) => line.startsWith('| `'));
    expect(rows.map((row) => row.split('`')[1]).sort()).toEqual([...codes].sort());
    for (const row of rows) expect(row.split('|')).toHaveLength(5);
  });

  it('names codes as area.reason, in lower case', () => {
    for (const code of codes) expect(code).toMatch(/^[a-z]+\.[a-z]+(_[a-z]+)*$/);
  });

  it('has no code that nothing uses', () => {
    const text = readSources();
    expect(codes.filter((code) => !text.includes(`'${code}'`))).toEqual([]);
  });

  it('names only options that there are', () => {
    const known = new Set(listOptions(readJsonSchema()).map(({ path }) => path));
    const sections = new Set([...known].map((path) => path.split('.')[0]));
    const named = [...renderErrors().matchAll(/`([a-z]+(?:\.[a-zA-Z]+)+)`/g)].flatMap(
      ([, name]) => name ?? [],
    );
    const options = named.filter(
      (name) => sections.has(name.split('.')[0]) && !codes.some((code) => code === name),
    );
    expect(options.length).toBeGreaterThan(40);
    const isKnown = (name: string) => [...known].some((path) => path === name || path.startsWith(`${name}.`));
    expect(options.filter((name) => !isKnown(name))).toEqual([]);
  });
});

describe('an error', () => {
  it('keeps its code when its place is told before its message', () => {
    const details = {
      kind: 'missing',
      action: 'skip',
      operation: 'getObject',
      platformCode: '800001',
    } as const;
    const error = new PlatformError('platform.not_found', 'no such object', details).at('pump');
    expect(error).toMatchObject({ ...details, code: 'platform.not_found', message: 'pump: no such object' });
    expect(error.deniesItem).toBe(true);
  });

  it('is told in reports with its code after it', () => {
    expect(describeError(new PlantsyncError('file.missing', 'x is not there'))).toBe(
      'x is not there [file.missing]',
    );
  });

  it('that plantsync did not make is a fault of the program', () => {
    expect(codeOf(new TypeError('x is undefined'))).toBe('internal.unexpected');
    expect(codeOf('thrown text')).toBe('internal.unexpected');
  });
});
