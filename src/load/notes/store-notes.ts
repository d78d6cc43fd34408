import { quoteTable } from '../../postgres/names.ts';
import type { Queryable } from '../../postgres/queryable.ts';
import { ANY_OBJECT, NOTE_COLUMNS, NOTE_NUMBERS, type Note, type NoteColumn, type NoteKey } from './note.ts';
import type { NotesPlan } from './plan-notes.ts';

/** Reads all notes, ordered by object and property. Notes for any object come first. */
export async function readNotes(db: Queryable, schema: string): Promise<Note[]> {
  const { rows } = await db.query(
    `select object, property, ${NOTE_COLUMNS.join(', ')} from ${tableOf(schema)}
     order by object <> '${ANY_OBJECT}', object, property`,
  );
  return rows as unknown as Note[];
}

/** Keeps all others from changing notes until the transaction ends. Readers go on. */
export async function lockNotes(tx: Queryable, schema: string): Promise<void> {
  await tx.query(`lock table ${tableOf(schema)} in share row exclusive mode`);
}

/** Carries out a plan. `columns` are those that the file has. */
export async function writeNotes(
  tx: Queryable,
  schema: string,
  { plan, columns }: { readonly plan: NotesPlan; readonly columns: readonly NoteColumn[] },
): Promise<void> {
  const table = tableOf(schema);
  if (plan.deleted.length > 0)
    await tx.query(
      `delete from ${table} as n using unnest($1::text[], $2::text[]) as gone (object, property)
       where n.object = gone.object and n.property = gone.property`,
      namesOf(plan.deleted),
    );
  const notes = [...plan.added, ...plan.changed];
  if (notes.length === 0) return;
  const names = ['object', 'property', ...columns];
  const types = columns.map((column, k) => `$${k + 3}::${isNumber(column) ? 'float8' : 'text'}[]`);
  const change =
    columns.length === 0
      ? 'nothing'
      : `update set ${columns.map((column) => `${column} = excluded.${column}`).join(', ')}`;
  await tx.query(
    `insert into ${table} (${names.join(', ')})
     select * from unnest(${['$1::text[]', '$2::text[]', ...types].join(', ')})
     on conflict (object, property) do ${change}`,
    [...namesOf(notes), ...columns.map((column) => notes.map((note) => note[column]))],
  );
}

function isNumber(column: NoteColumn): boolean {
  return NOTE_NUMBERS.some((name) => name === column);
}

function namesOf(keys: readonly NoteKey[]): string[][] {
  return [keys.map(({ object }) => object), keys.map(({ property }) => property)];
}

function tableOf(schema: string): string {
  return quoteTable(schema, 'property_notes');
}
