/** The rows of one result of a history reply, by columns. */
export interface HistoryRows {
  readonly length: number;
  /** Returns the cells of a column in the order received. */
  cells(at: number): readonly unknown[];
  /** Returns the cells as epoch microseconds. Returns undefined if they were not read as times in UTC. */
  instants(at: number): readonly number[] | undefined;
  /** Returns one row, for people to look at. */
  row(k: number): readonly unknown[];
}

/** Rows as the parser of JSON gives them. */
export class ListedRows implements HistoryRows {
  readonly #rows: readonly (readonly unknown[])[];

  constructor(rows: readonly (readonly unknown[])[]) {
    this.#rows = rows;
  }

  get length(): number {
    return this.#rows.length;
  }

  cells(at: number): readonly unknown[] {
    return this.#rows.map((row) => row[at]);
  }

  instants(): undefined {
    return undefined;
  }

  row(k: number): readonly unknown[] {
    return this.#rows[k] ?? [];
  }
}

/** A column of numbers and nulls, or of instants that were written as texts. */
export interface PackedColumn {
  readonly isTime: boolean;
  readonly cells: readonly (number | bigint | null)[];
}

/**
 * Rows that were read from the bytes of a reply into columns. Texts are not kept: they are parsed when asked
 * for.
 */
export class PackedRows implements HistoryRows {
  readonly length: number;
  readonly #columns: readonly PackedColumn[];
  readonly #parse: () => readonly (readonly unknown[])[];
  #listed: ListedRows | undefined;

  constructor(columns: readonly PackedColumn[], parse: () => readonly (readonly unknown[])[]) {
    this.#columns = columns;
    this.#parse = parse;
    this.length = columns[0]?.cells.length ?? 0;
  }

  cells(at: number): readonly unknown[] {
    const column = this.#columns[at];
    return column === undefined || column.isTime ? this.#list().cells(at) : column.cells;
  }

  instants(at: number): readonly number[] | undefined {
    const column = this.#columns[at];
    return column?.isTime ? (column.cells as readonly number[]) : undefined;
  }

  row(k: number): readonly unknown[] {
    return this.#list().row(k);
  }

  #list(): ListedRows {
    this.#listed ??= new ListedRows(this.#parse());
    return this.#listed;
  }
}
