import type { Database } from '../../postgres/connect.ts';
import { quoteName, quoteTable } from '../../postgres/names.ts';
import type { Schemas } from '../../postgres/schemas.ts';
import { inTransaction } from '../../postgres/transaction.ts';
import type { Part, Stream } from '../../streams/define.ts';
import { listOf, softDeleteSql } from './row-sql.ts';

/**
 * Deletes, softly, the rows of shared parts (roles) that no live row of the stream's other parts references
 * any more. The columns of the other parts declare that with `references`.
 */
export async function deleteUnreferenced(db: Database, schemas: Schemas, stream: Stream): Promise<void> {
  for (const part of stream.parts?.filter(({ shared }) => shared) ?? []) {
    const namedBy = readReferences(stream, part);
    if (namedBy.length === 0)
      throw new TypeError(`no part of ${stream.name} references the rows of ${part.name}`);
    const [key = ''] = part.key;
    const named = namedBy.map(
      ({ table, column }) =>
        `not exists (select from ${quoteTable(schemas.data, table)} as _n where _n.${quoteName(column)} = _r.${quoteName(key)} and _n.deleted_at is null)`,
    );
    const unnamed = `select ${listOf(part.key)} from ${quoteTable(schemas.data, part.name)} as _r where _r.deleted_at is null and ${named.join(' and ')}`;
    await inTransaction(
      db,
      (tx) => tx.query(softDeleteSql(schemas, { table: part.name, key: part.key }, unnamed)),
      {
        what: `deleting rows of ${part.name}`,
      },
    );
  }
}

function readReferences(stream: Stream, shared: Part): { table: string; column: string }[] {
  return (stream.parts ?? []).flatMap((part) =>
    part.columns
      .filter(({ references }) => references === `${shared.name}.${shared.key[0]}`)
      .map(({ name }) => ({ table: part.name, column: name })),
  );
}
