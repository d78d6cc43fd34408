import type { Column } from './define.ts';

/** A table as the diagram shows it. */
interface DiagramTable {
  readonly name: string;
  readonly key: readonly string[];
  readonly columns: readonly Column[];
}

/**
 * Draws a Mermaid diagram. It shows each table with its key and the columns that name rows of others, and a
 * line for each such link.
 */
export function drawDiagram(tables: readonly DiagramTable[]): string[] {
  return ['```mermaid', 'erDiagram', ...tables.flatMap(drawTable), ...tables.flatMap(drawLinks), '```'];
}

function drawTable({ name, key, columns }: DiagramTable): string[] {
  const shown = columns.filter((column) => key.includes(column.name) || column.references !== undefined);
  return [
    `  ${name} {`,
    ...shown.map((column) => {
      const marks = [
        ...(key.includes(column.name) ? ['PK'] : []),
        ...(column.references === undefined ? [] : ['FK']),
      ];
      return `    ${column.type.replaceAll(' ', '_')} ${column.name} ${marks.join(', ')}`;
    }),
    '  }',
  ];
}

/**
 * Draws the links of a table. A row whose link is part of its key always has one. Other links may name
 * nothing, or a row that does not exist.
 */
function drawLinks({ name, key, columns }: DiagramTable): string[] {
  return groupLinks(columns).map(({ table, columns: linking }) => {
    const sure = linking.every((column) => key.includes(column));
    return `  ${table} ${sure ? '||' : '|o'}--o{ ${name} : "${linking.join(', ')}"`;
  });
}

interface Link {
  readonly table: string;
  readonly targets: string[];
  readonly columns: string[];
}

/**
 * Groups columns into links. Columns that name a row together (tree and node) are one link; a second column
 * for the same target begins another.
 */
function groupLinks(columns: readonly Column[]): Link[] {
  const links: Link[] = [];
  for (const { name, references } of columns) {
    const [table, target] = references?.split('.') ?? [];
    if (table === undefined || target === undefined) continue;
    const open = links.find((link) => link.table === table && !link.targets.includes(target));
    if (open === undefined) links.push({ table, targets: [target], columns: [name] });
    else {
      open.targets.push(target);
      open.columns.push(name);
    }
  }
  return links;
}
