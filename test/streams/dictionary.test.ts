import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { drawDiagram } from '../../src/streams/diagram.ts';
import { listTables, renderDictionary } from '../../src/streams/dictionary.ts';
import { documented as streams } from '../../src/streams/index.ts';

const page = renderDictionary(streams);

describe('the data dictionary', () => {
  it('is up to date', () => {
    const written = readFileSync(new URL('../../docs/data-dictionary.md', import.meta.url), 'utf8');
    expect(written === page, 'run npm run dictionary').toBe(true);
  });

  it('has a section for every table, with a line for every column', () => {
    for (const { name, columns } of listTables(streams)) {
      const section = page.split(`\n### ${name}\n`)[1]?.split('\n### ')[0];
      for (const column of columns) expect(section).toContain(`\n| \`${column.name}\` | ${column.type} |`);
    }
  });

  it('shows columns of details with the table that they complete, once', () => {
    const persons = listTables(streams).find(({ name }) => name === 'persons');
    expect(persons?.columns.map(({ name }) => name)).toEqual([
      ...['name', 'show_name', 'gender'],
      ...['username', 'account_email', 'account_phone', 'account_time_zone', 'account_description'],
    ]);
  });

  it('keeps every row of a table in its columns', () => {
    const rows = page.split('\n').filter((line) => line.startsWith('| `'));
    const cells = rows.map((row) => row.replaceAll('\\|', '').split('|').length - 2);
    expect(new Set(cells)).toEqual(new Set([3, 5]));
  });

  it('draws only what there is', () => {
    const names = listTables(streams).map(({ name }) => name);
    const diagram = page.split('```mermaid\n')[1]?.split('```')[0] ?? '';
    const linked = [...diagram.matchAll(/^ {2}(\w+) [|o]{2}--o\{ (\w+) : "/gm)].flatMap(([, a, b]) => [a, b]);
    expect(linked.length).toBeGreaterThan(40);
    for (const name of linked) expect(names).toContain(name);
    for (const name of names) expect(diagram).toContain(`\n  ${name} {\n`);
  });
});

describe('the diagram', () => {
  const column = (name: string, references?: string) => ({
    ...{ name, type: 'double precision' as const, source: name, meaning: '', example: '' },
    ...(references !== undefined && { references }),
  });

  it('draws columns that name a row together as one link, and others for themselves', () => {
    const columns = [column('a', 't.x'), column('b', 't.y'), column('c', 't.y'), column('d')];
    expect(drawDiagram([{ name: 'u', key: ['a', 'b'], columns }])).toEqual([
      ...['```mermaid', 'erDiagram', '  u {'],
      '    double_precision a PK, FK',
      '    double_precision b PK, FK',
      '    double_precision c FK',
      '  }',
      '  t ||--o{ u : "a, b"',
      '  t |o--o{ u : "c"',
      '```',
    ]);
  });
});
