/**
 * Prints how long replies of several sizes hold up the process: `node --import tsx test/event-loop/table.ts
 * [name]`.
 */
import { measureReplies } from './measure.ts';
import { samples } from './replies.ts';

const sizes = [10e3, 1e6, 10e6, 60e6];
const names = Object.keys(samples).filter((name) => name.includes(process.argv[2] ?? ''));
process.stdout.write(
  `| held up at most, ms | ${sizes.map((bytes) => `${bytes / 1e6} MB`).join(' | ')} |\n|---|---|---|---|---|\n`,
);
for (const name of names) {
  const cells: string[] = [];
  for (const bytes of sizes) {
    const [measured] = await measureReplies([name], bytes);
    cells.push(
      `${measured?.heldUpMs} (${measured?.delayMs}/${measured?.tookMs})${process.env.OUTCOME ? measured?.outcome : ''}`,
    );
  }
  process.stdout.write(`| ${name} | ${cells.join(' | ')} |\n`);
}
