import { describe, expect, it } from 'vitest';
import { checkMarkdown, checkTypeScript, checkYaml } from '../../lint/sentences.ts';

const words = (count: number) => Array.from({ length: count }, (_, k) => `w${k}`).join(' ');
const problems = (source: string, hasMessages = false) =>
  checkTypeScript(source, { hasMessages }).map(({ line, problem }) => `${line}: ${problem}`);

describe('sentences of TypeScript', () => {
  it('have at most 25 words, in comments of any form', () => {
    expect(problems(`/** ${words(25)}. ${words(3)}. */\nconst a = 1; // ${words(4)}`)).toEqual([]);
    const long = '26 words, at most 25';
    expect(problems(`/**\n * ${words(20)}\n * ${words(6)}.\n */`)).toEqual([`1: ${long}`]);
    expect(problems(`\n// ${words(13)}\n// ${words(13)}`)).toEqual([`2: ${long}`]);
    expect(problems(`function f() {\n  return 1; /* ${words(26)} */\n}`)).toContain(`2: ${long}`);
  });

  it('count code and a link as one word', () => {
    expect(problems(`// ${words(24)}\n// \`${words(8)}\``)).toEqual([]);
  });

  it('begin again at each item of a list', () => {
    expect(problems(`/**\n * ${words(10)}:\n * - ${words(20)}\n * - ${words(20)}\n */`)).toEqual([]);
  });

  it('stand on lines of at most 110 columns, an address apart', () => {
    const wide = 'x'.repeat(108);
    expect(problems(`const a = 1;\n// ${wide}`)).toEqual(['2: 111 columns, at most 110']);
    expect(problems(`// https://${wide}`)).toEqual([]);
    expect(problems(`const a = '${wide}';`, true)).toEqual([]);
  });

  it.each([
    ['Reads it anew.', 'again'],
    ['What stands beside the columns.', 'with'],
    ['A reader shall know.', 'present tense'],
    ['Closed by whoever opened it.', 'anyone'],
    ['Of two rows, the later wins.', 'subject'],
  ])('do without hard words: %s', (sentence, say) => {
    expect(problems(`// ${sentence}`)).toEqual([expect.stringContaining(say)]);
    expect(problems(`// Of course, this is fine.`)).toEqual([]);
  });

  it('are looked for in messages, with each value as one word, and not in SQL', () => {
    const message = ['throw new Error(`$', '{name} shall be given in the file`);'].join('');
    expect(problems(message)).toEqual([]);
    expect(problems(message, true)).toEqual([expect.stringContaining('shall')]);
    expect(problems('const q = `select anew from place where a = $1`;', true)).toEqual([]);
  });
});

describe('sentences of a page', () => {
  it('are those of its comments and texts', () => {
    const page = [
      'const page = (',
      '  <p>',
      `    {/* ${words(25)} */}`,
      '    {/*',
      `        ${words(13)}`,
      `        ${words(13)} */}`,
      `    {'${words(26)}'}`,
      '  </p>',
      ');',
    ].join('\n');
    const found = checkTypeScript(page, { hasMessages: true, isTsx: true });
    expect(found.map(({ line }) => line)).toEqual([4, 7]);
  });
});

describe('sentences of documents', () => {
  it('are those of paragraphs, items and cells, not of code', () => {
    const found = checkMarkdown(
      [
        words(13),
        words(13),
        '',
        '```',
        words(30),
        '```',
        `- ${words(20)}`,
        `- ${words(20)}`,
        '',
        `| ${words(20)} | ${words(26)} |`,
      ].join('\n'),
    );
    expect(found.map(({ line }) => line)).toEqual([1, 10]);
  });

  it('are those of the comments of a YAML file', () => {
    const found = checkYaml(`# ${words(13)}\n# ${words(13)}\na: 1 # shall be one\nb: "anew it is not"\n`);
    expect(found.map(({ line }) => line)).toEqual([1, 3]);
  });
});
