/** A number that is computed from the rows of a dataset. Charts show it by its name. */
export interface Metric {
  readonly name: string;
  readonly label: string;
  readonly sql: string;
  /** How the number is written, in the language of D3. */
  readonly format?: string;
}

/** What charts ask: a view of schema `bi`, or an SQL statement on such views. */
export interface Dataset {
  readonly name: string;
  /** The view or function whose columns the dataset has. */
  readonly view: string;
  /** The statement of a dataset that is no plain view. */
  readonly sql?: string;
  /** The columns of the view that such a dataset has. Undefined for all. */
  readonly only?: readonly string[];
  /** The columns that such a dataset has besides those of the view. */
  readonly added?: readonly { readonly name: string; readonly type: string; readonly about: string }[];
  /** The column by which the range of time of a dashboard is taken. */
  readonly time?: string;
  readonly metrics: readonly Metric[];
}
