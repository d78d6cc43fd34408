import { hash } from 'node:crypto';
import type { Selection } from '../../config/config-schema.ts';
import type { ChosenPart } from '../../ledger/chosen-series.ts';
import type { SummedSeries } from '../../ledger/coverage-shapes-sql.ts';
import { mayHoldNumbers } from '../../series/primitive-types.ts';
import type { Series } from '../../series/types.ts';

/** Some series that are looked at in sum, and how many they are. */
export interface CountedSeries {
  readonly count: number;
  readonly summed: SummedSeries;
}

/** A selection with its series in sum. */
export interface CountedSelection {
  readonly selection: Selection;
  readonly all: CountedSeries;
  /** Those that may hold numbers. */
  readonly numeric: CountedSeries;
}

/** Returns a text that changes when selections choose otherwise. */
export function digestOf(selections: readonly Selection[]): string {
  const rules = selections.map(({ objects, properties, recorded }) => [objects, properties, recorded]);
  return hash('sha256', JSON.stringify(rules), 'hex');
}

/**
 * Divides series of a selection into the two parts under which the ledger keeps them: those that may hold
 * numbers, and the others. `index` is the place of the selection in the configuration.
 */
export function partsOf(series: readonly Series[], index: number): ChosenPart[] {
  return [true, false].map((isNumeric) => ({
    part: partOf(index, isNumeric),
    ids: idsOf(series.filter(({ primitiveType }) => mayHoldNumbers(primitiveType) === isNumeric)),
  }));
}

/** Counts the series of a selection that the ledger keeps. */
export function countKept(
  selection: Selection,
  { index, counts }: { index: number; counts: ReadonlyMap<number, number> },
): CountedSelection {
  const countParts = (parts: readonly number[]): CountedSeries => ({
    count: parts.reduce((sum, part) => sum + (counts.get(part) ?? 0), 0),
    summed: { parts },
  });
  const [numeric, other] = [partOf(index, true), partOf(index, false)];
  return { selection, all: countParts([numeric, other]), numeric: countParts([numeric]) };
}

function partOf(index: number, isNumeric: boolean): number {
  return 2 * (index + 1) + (isNumeric ? 1 : 0);
}

function idsOf(series: readonly Series[]): number[] {
  return series.map(({ id }) => id);
}
