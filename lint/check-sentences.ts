/**
 * Checks the sentences of comments, messages and documents for `npm run lint`. Without names it checks all
 * files.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { checkMarkdown, checkTypeScript, checkYaml, type Finding } from './sentences.ts';

/**
 * The product speaks in these files. A released migration never changes, and so its comments on tables do
 * not.
 */
const HAS_MESSAGES = /^(src|jobs)\/(?!ledger\/migrations\/)/;
/** Texts that are made from others, and the licence. */
const LEFT_OUT = /^(src\/platform\/contract\.ts|LICENSE)$/;

const asked = process.argv.slice(2);
const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...asked], {
  encoding: 'utf8',
});
let count = 0;
for (const file of listed.split('\n').filter((name) => name !== '' && existsSync(name))) {
  if (LEFT_OUT.test(file)) continue;
  for (const { line, problem, excerpt } of check(file, readFileSync(file, 'utf8'))) {
    count += 1;
    console.log(`${file}:${line}: ${problem}\n    ${excerpt}`);
  }
}
if (count > 0) {
  console.log(`${count} sentences or lines are against the rules of CONTRIBUTING.md, "Sentences"`);
  process.exitCode = 1;
}

function check(file: string, source: string): Finding[] {
  if (/\.tsx?$/.test(file))
    return checkTypeScript(source, { hasMessages: HAS_MESSAGES.test(file), isTsx: file.endsWith('x') });
  if (file.endsWith('.md')) return checkMarkdown(source);
  return file.startsWith('config/') && file.endsWith('.yaml') ? checkYaml(source) : [];
}
