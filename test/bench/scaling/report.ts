import { styleText } from 'node:util';

/** The cost of one command. */
export interface Cost {
  readonly seconds: number;
  /** Seconds of processor time of the program, without servers and platform. */
  readonly cpuSec: number;
  readonly peakMiB: number;
}

/** One line of a table: a command at one size. */
export interface Line extends Cost {
  readonly what: string;
  readonly size: number;
  /** How many rows, series or points the command had to look at. */
  readonly units: number;
}

/** Prints how the cost of a unit grows. `grows` names the size, `unit` names what is counted. */
export function printTable(
  title: string,
  { grows, unit }: { grows: string; unit: string },
): (line: Line) => void {
  console.log(`\n${styleText('bold', title)}`);
  console.log(`| what | ${grows} | seconds | µs per ${unit} | µs of processor time per ${unit} | peak MiB |`);
  console.log('|---|---|---|---|---|---|');
  return ({ what, size, units, seconds, cpuSec, peakMiB }) => {
    const perUnit = (total: number) =>
      ((total * 1e6) / units).toLocaleString('en', { maximumSignificantDigits: 3 });
    console.log(
      `| ${what} | ${size.toLocaleString('en')} | ${seconds.toFixed(1)} | ${perUnit(seconds)} | ${perUnit(cpuSec)} | ${Math.round(peakMiB)} |`,
    );
  };
}
