import type { Answer } from './ask-questions.ts';

/** One measurement: all questions on a plant. */
export interface Measurement {
  readonly points: number;
  readonly series: number;
  readonly days: number;
  /** The most that a question may take. */
  readonly aimMs: number;
  readonly answers: readonly Answer[];
}

const HEAD = `# How long the twenty questions take

Made by \`npm run bench -- bi\`. The questions are those of [bi.md](bi.md#twenty-questions), asked on PostgreSQL with its own
settings and \`jit = off\`, on a machine with two cores. Each time is the median of five. Before, the question is asked once. The
aim is less than 100 ms on 3 million points, and less than a second on 100 million. The last column names the large tables that
the question reads. "By block ranges" means by a BRIN index.
`;

/** Returns the section of a measurement. */
export function renderTimes({ points, series, days, aimMs, answers }: Measurement): string {
  const millions = Math.round(points / 1e5) / 10;
  const rows = answers.map(
    ({ question, ms, rows, ways }) =>
      `| ${question.number} | ${question.title} | ${ms < 10 ? ms.toFixed(1) : Math.round(ms)}${ms > aimMs ? ' (!)' : ''} | ${rows} | ${ways.join(', ') || '–'} |`,
  );
  return [
    `## ${millions < 10 ? millions : Math.round(millions)} million points`,
    '',
    `${series} series over ${days} days.`,
    '',
    '| | question | ms | rows | tables and how they are read |',
    '|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

/** Puts a section into the document, in the place of an older one of the same size. */
export function putTimes(document: string, section: string): string {
  const sections = document.split(/^(?=## )/m).slice(1);
  const title = section.split('\n', 1)[0];
  const others = sections.filter((other) => other.split('\n', 1)[0] !== title);
  const all = [...others, section].sort((one, other) => sizeOf(one) - sizeOf(other));
  return `${HEAD}\n${all.map((text) => text.trim()).join('\n\n')}\n`;
}

function sizeOf(section: string): number {
  return Number(/^## ([\d.]+)/.exec(section)?.[1] ?? 0);
}
