import type { DataTransformerConfig } from '@grafana/grafana-foundation-sdk/dashboard';

/**
 * Makes one series of each value of the column `series`. In one table, the points of a series would be nulls
 * of all others, and those nulls would cut their lines.
 */
export function partitionBySeries(): DataTransformerConfig {
  return {
    id: 'partitionByValues',
    options: { fields: ['series'], keepFields: false, naming: { asLabels: true } },
  };
}

/** Takes the unit of the values from the query `config`. */
export function unitFromConfig(): DataTransformerConfig {
  return {
    id: 'configFromData',
    options: {
      configRefId: 'config',
      mappings: [{ fieldName: 'unit', handlerKey: 'unit', reducerId: 'firstNotNull' }],
      applyTo: { id: 'byName', options: 'Value' },
    },
  };
}

/** Turns rows of category, column and value into a column for each value of `column`. */
export function toColumns(names: { row: string; column: string; value: string }): DataTransformerConfig {
  return {
    id: 'groupingToMatrix',
    options: { rowField: names.row, columnField: names.column, valueField: names.value, emptyValue: 'null' },
  };
}
