/** The rows of one result of a history reply. */
export interface HistoryRows {
  readonly length: number;
  /** Returns the cells of a column in the order received. */
  list(): Promise<readonly (readonly unknown[])[]>;
  /**
   * Returns the cells of a column as epoch microseconds, if all of them are times in UTC that were read with
   * the reply.
   */
  instants(at: number): readonly number[] | undefined;
  /** The cells of a column of plain values, if it was read with the reply. */
  values(at: number): readonly unknown[] | undefined;
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

  async list(): Promise<readonly (readonly unknown[])[]> {
    return this.#rows;
  }

  instants(): undefined {
    return undefined;
  }

  values(): undefined {
    return undefined;
  }
}

/** A value that is neither an object nor a list. */
export type Cell = number | bigint | string | boolean | null;

/** A column of cells, or of instants that were written as texts. */
export interface PackedColumn {
  readonly isTime: boolean;
  readonly cells: readonly Cell[];
}

/**
 * Rows that were read from the bytes of a reply into columns. Texts are not kept: they are parsed when asked
 * for.
 */
export class PackedRows implements HistoryRows {
  readonly length: number;
  readonly #columns: readonly PackedColumn[];
  readonly #parse: () => Promise<readonly (readonly unknown[])[]>;
  #listed: Promise<readonly (readonly unknown[])[]> | undefined;

  constructor(columns: readonly PackedColumn[], parse: () => Promise<readonly (readonly unknown[])[]>) {
    this.#columns = columns;
    this.#parse = parse;
    this.length = columns[0]?.cells.length ?? 0;
  }

  list(): Promise<readonly (readonly unknown[])[]> {
    this.#listed ??= this.#parse();
    return this.#listed;
  }

  instants(at: number): readonly number[] | undefined {
    const column = this.#columns[at];
    return column?.isTime ? (column.cells as readonly number[]) : undefined;
  }

  values(at: number): readonly unknown[] | undefined {
    const column = this.#columns[at];
    return column?.isTime ? undefined : column?.cells;
  }
}
