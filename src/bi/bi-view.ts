/** Names that the definition of a view may use. The schemas are quoted. */
export interface BiNames {
  readonly bi: string;
  readonly data: string;
  readonly ledger: string;
  /** The plant's time zone as an SQL literal: `platform.timezone`, else UTC. */
  readonly zone: string;
}

/** A column of a view, or of the result of a function. */
export interface BiColumn {
  readonly name: string;
  /** Type as PostgreSQL names it, such as `timestamptz`. */
  readonly type: string;
  /** What the column means. This becomes its comment. */
  readonly about: string;
}

/** A view for BI tools, or a function that returns rows. */
export interface BiView {
  readonly name: string;
  /**
   * The arguments of a function, such as `from_at timestamptz, to_at timestamptz`, without defaults.
   * Undefined for a view.
   */
  readonly takes?: string;
  /** What one row is. This becomes the comment, and the text of the dictionary. */
  readonly about: string;
  /** All columns in their order. */
  readonly columns: readonly BiColumn[];
  /** Returns the query. That of a function is its body in SQL. */
  sql(names: BiNames): string;
}

/** The columns that name a series, in every view about series. */
export const tagColumns: readonly BiColumn[] = [
  { name: 'series_id', type: 'bigint', about: 'Number of the series.' },
  { name: 'object', type: 'text', about: 'Alias of the object.' },
  { name: 'object_name', type: 'text', about: 'Name of the object as people read it, else its alias.' },
  { name: 'template_name', type: 'text', about: 'Alias of the template of the object.' },
  { name: 'property', type: 'text', about: 'Alias of the property.' },
  {
    name: 'property_name',
    type: 'text',
    about: 'Name of the property: that of property_notes, else the name that people read, else its alias.',
  },
  { name: 'unit', type: 'text', about: 'Unit of the values, from property_notes.' },
];

/** Returns the list of the tag columns of a table or view that the query calls `alias`. */
export function selectTags(alias: string): string {
  return tagColumns.map(({ name }) => `${alias}.${name}`).join(', ');
}
