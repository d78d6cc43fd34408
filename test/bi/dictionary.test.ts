import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { renderBiDictionary } from '../../src/bi/dictionary.ts';
import { biViews } from '../../src/bi/views/all.ts';
import { defaultNames } from './default-names.ts';

const page = renderBiDictionary(biViews);

describe('the dictionary of the views', () => {
  it('is up to date', () => {
    const written = readFileSync(new URL('../../docs/bi-dictionary.md', import.meta.url), 'utf8');
    expect(written === page, 'run npm run dictionary').toBe(true);
  });

  it('has a section for every view, with a line for every column', () => {
    for (const { name, takes, columns } of biViews) {
      const section = page.split(`\n### ${name}${takes === undefined ? '' : '()'}\n`)[1]?.split('\n### ')[0];
      for (const column of columns) expect(section).toContain(`\n| \`${column.name}\` | ${column.type} |`);
    }
  });
});

describe('the definitions of the views', () => {
  it('have names that occur once, and texts that are sentences', () => {
    const names = biViews.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
    for (const { name, about, columns } of biViews)
      for (const text of [about, ...columns.map((column) => column.about)])
        expect(text, name).toMatch(/^[A-Za-z0-9].*[.]$/s);
  });

  it('read only views that stand before them, and functions never read the ledger', () => {
    const known = new Set<string>();
    for (const view of biViews) {
      const sql = view.sql(defaultNames);
      for (const [, read = ''] of sql.matchAll(/"bi"\."?(\w+)"?/g)) expect(known, view.name).toContain(read);
      if (view.takes !== undefined) expect(sql, view.name).not.toContain('"plantsync"');
      known.add(view.name);
    }
  });
});
