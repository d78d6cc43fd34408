import { escapeLiteral } from 'pg';
import { quoteTable } from '../../../postgres/names.ts';
import { timestamptzText } from '../../../postgres/type-parsers.ts';
import type { Stretch } from '../store.ts';
import { samplesTable } from './point-tables.ts';

/** Writes the SQL that reads points, with the names of their series, for people to copy. */
export function describeRead(schema: string, { stream, series, range }: Stretch): string {
  const names = series.map(
    ({ object, property }) => `(${escapeLiteral(object)}, ${escapeLiteral(property)})`,
  );
  const time = (micros: number) => `timestamptz '${timestamptzText(micros)}'`;
  return [
    'select s.object, s.property, p.at, p.value, p.text, p.quality',
    `from ${quoteTable(schema, samplesTable(stream))} as p`,
    `join ${quoteTable(schema, 'series')} as s using (series_id)`,
    `where (s.object, s.property) in (${names.join(', ')})`,
    `  and p.at >= ${time(range.from)}`,
    `  and p.at < ${time(range.to)}`,
    'order by s.object, s.property, p.at;',
  ].join('\n');
}
