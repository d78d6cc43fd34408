import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { putQuestions, readQuestions } from '../../src/bi/questions.ts';

const questions = readQuestions();

it('docs/bi.md shows the questions as they are kept', () => {
  const document = readFileSync('docs/bi.md', 'utf8');
  // Else run: npm run questions
  expect(document).toBe(putQuestions(document, questions));
});

it('each question has a title, a text, a note, and one statement that only reads', () => {
  expect(questions).toHaveLength(20);
  for (const { title, question, note, sql } of questions) {
    expect([title, question, note].every((text) => text.trim() !== '')).toBe(true);
    expect(sql).toMatch(/^select /);
    expect(sql).not.toContain(';');
  }
});

it('a document without the marks is refused', () => {
  expect(() => putQuestions('# BI tools', questions)).toThrow('lacks <!-- questions');
});
