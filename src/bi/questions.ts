import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** A question that people ask of the data, and the SQL on the schema `bi` that answers it. */
export interface Question {
  /** Place in the list, from 1. */
  readonly number: number;
  readonly title: string;
  readonly question: string;
  readonly sql: string;
  /** What one must know to read the answer. */
  readonly note: string;
}

const FILE = new URL('../../config/bi/questions.yaml', import.meta.url);
const BEGIN = '<!-- questions: made by `npm run questions` from config/bi/questions.yaml -->';
const END = '<!-- questions: end -->';

/** Reads the questions of `config/bi/questions.yaml` in their order. */
export function readQuestions(): Question[] {
  const entries: Omit<Question, 'number'>[] = parse(readFileSync(FILE, 'utf8'));
  return entries.map((entry, k) => ({ number: k + 1, ...entry }));
}

/**
 * Returns the document with the questions between its two marks. Throws an error if the document lacks a
 * mark.
 */
export function putQuestions(document: string, questions: readonly Question[]): string {
  const [begin, end] = [document.indexOf(BEGIN), document.indexOf(END)];
  if (begin < 0 || end < begin)
    throw new Error(`the document lacks ${BEGIN} or ${END}: put both lines back where the questions belong`);
  const rendered = questions.map(renderQuestion).join('\n');
  return `${document.slice(0, begin)}${BEGIN}\n\n${rendered}\n${document.slice(end)}`;
}

function renderQuestion({ number, title, question, sql, note }: Question): string {
  return `### ${number}. ${title}\n\n${question}\n\n\`\`\`sql\n${sql};\n\`\`\`\n\n${note}\n`;
}
