import type { SimulatorDialect } from '../simulator-dialect.ts';
import type { Value } from '../values.ts';

/**
 * Makes a function that writes a value as JSON text in the forms of the dialect. Bigints keep all their
 * digits.
 */
export function valueWriter(dialect: SimulatorDialect): (value: Value) => string {
  const number = (value: number): string => {
    if (!Number.isFinite(value)) return notFinite(value, dialect.nanAs);
    return dialect.numbersAs === 'string' ? `"${value}"` : `${value}`;
  };
  const write = (value: Value): string => {
    switch (typeof value) {
      case 'number':
        return number(value);
      case 'bigint':
        return isQuoted(value, dialect) ? `"${value}"` : `${value}`;
      case 'object':
        if (value === null) return 'null';
        if (Array.isArray(value)) return `[${value.map(write).join(',')}]`;
        return `{${Object.entries(value)
          .map(([member, inner]) => `${JSON.stringify(member)}:${write(inner)}`)
          .join(',')}}`;
      default:
        return JSON.stringify(value);
    }
  };
  return write;
}

function notFinite(value: number, form: SimulatorDialect['nanAs']): string {
  return form === 'null' ? 'null' : form === 'bare' ? `${value}` : `"${value}"`;
}

function isQuoted(value: bigint, { int64As, numbersAs }: SimulatorDialect): boolean {
  return numbersAs === 'string' || int64As === 'string' || (int64As === 'mixed' && value % 2n === 0n);
}
