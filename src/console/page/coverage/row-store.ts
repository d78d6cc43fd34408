import type { CoverageReply, CoverageRow } from '../../api/coverage.ts';
import { type ApiProblem, ask, problemOf } from '../app/api.ts';
import { type MapChoice, pathOf, timesOf } from './map-state.ts';
import type { View } from './time-view.ts';

/** Cells of a row, and the time that they show. */
export interface KnownRow {
  readonly row: CoverageRow;
  readonly view: View;
}

/** What was asked at one view. Rows come in pages. */
interface DataSet {
  readonly key: string;
  readonly view: View;
  readonly columns: number;
  readonly pages: Map<number, CoverageRow[]>;
  readonly asked: Set<number>;
  readonly ending: AbortController;
}

const PAGE_ROWS = 100;

/**
 * Holds the rows that the map shows. While the rows of another view are asked for, those of the last view are
 * stretched, so that the map never blinks.
 */
export class RowStore {
  readonly #onChange: () => void;
  #current: DataSet | undefined;
  #last: DataSet | undefined;
  #rowsKey = '';
  total = 0;
  wanted: View | undefined;
  problem: ApiProblem | undefined;
  isLoading = false;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** Asks for the rows of a view. `version` asks for the same rows again. */
  show(choice: MapChoice, view: View, { columns, version }: { columns: number; version: number }): void {
    const key = JSON.stringify([choice, view, columns, version]);
    if (this.#current?.key === key) return;
    const rowsKey = JSON.stringify(choice);
    const isSameRows = rowsKey === this.#rowsKey;
    const before = this.#current;
    before?.ending.abort();
    if (before !== undefined && before.pages.size > 0) this.#last = before;
    if (!isSameRows) {
      this.#last = undefined;
      this.total = 0;
    }
    this.#rowsKey = rowsKey;
    this.#current = {
      ...{ key, view, columns, pages: new Map(), asked: new Set() },
      ending: new AbortController(),
    };
    this.#choice = choice;
  }

  #choice: MapChoice | undefined;

  /** Sees to it that these rows come. */
  need(first: number, last: number): void {
    const end = Math.max(1, Math.min(last + 1, this.total || 1));
    for (let page = Math.floor(first / PAGE_ROWS); page * PAGE_ROWS < end; page += 1) void this.#load(page);
  }

  at(index: number): KnownRow | undefined {
    for (const set of [this.#current, this.#last]) {
      const row = set?.pages.get(Math.floor(index / PAGE_ROWS))?.[index % PAGE_ROWS];
      if (row !== undefined && set !== undefined) return { row, view: set.view };
    }
    return undefined;
  }

  close(): void {
    this.#current?.ending.abort();
  }

  async #load(page: number): Promise<void> {
    const [set, choice] = [this.#current, this.#choice];
    if (set === undefined || choice === undefined || set.asked.has(page)) return;
    set.asked.add(page);
    this.isLoading = true;
    const rows = { offset: page * PAGE_ROWS, limit: PAGE_ROWS, columns: set.columns };
    try {
      const path = pathOf('/coverage', choice, { ...timesOf(set.view), ...rows });
      const reply = await ask<CoverageReply>(path, { signal: set.ending.signal });
      if (set !== this.#current) return;
      this.#note(set, page, reply);
    } catch (error) {
      if (set.ending.signal.aborted) return;
      set.asked.delete(page);
      this.problem = problemOf(error);
    }
    this.isLoading = set.asked.size > set.pages.size;
    this.#onChange();
  }

  #note(set: DataSet, page: number, { rows, total, wanted }: CoverageReply): void {
    set.pages.set(page, rows);
    this.total = total;
    this.wanted = wanted && { from: Date.parse(wanted.from), to: Date.parse(wanted.to) };
    this.problem = undefined;
  }
}
