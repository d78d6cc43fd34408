import type { ComponentChildren } from 'preact';
import { shell } from '../texts/shell.ts';

export interface Column<T> {
  /** The heading. Also the label of the cell where a narrow screen shows rows as cards. */
  readonly title: string;
  readonly cell: (row: T) => ComponentChildren;
  /** Numbers stand on the right. */
  readonly isNumber?: boolean;
}

export interface TableProps<T> {
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string | number;
  /** What the table shows, for those who do not see it. */
  readonly caption: string;
  /** Shown below a row, over its whole width. */
  readonly below?: (row: T) => ComponentChildren;
  /** What no rows mean. */
  readonly empty?: string;
}

/** A table on a wide screen, and a list of cards on a narrow one. */
export function Table<T>({ columns, rows, keyOf, caption, below, empty }: TableProps<T>) {
  if (rows.length === 0) return <p class="muted">{empty ?? shell.value.empty}</p>;
  return (
    <div class="table-frame">
      <table>
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ title, isNumber }) => (
              <th key={title} scope="col" class={isNumber ? 'number' : undefined}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const more = below?.(row);
            return [
              <tr key={keyOf(row)}>
                {columns.map(({ title, cell, isNumber }) => (
                  <td key={title} data-title={title} class={isNumber ? 'number' : undefined}>
                    <div>{cell(row)}</div>
                  </td>
                ))}
              </tr>,
              more && (
                <tr key={`${keyOf(row)} below`} class="below">
                  <td colSpan={columns.length}>{more}</td>
                </tr>
              ),
            ];
          })}
        </tbody>
      </table>
    </div>
  );
}
