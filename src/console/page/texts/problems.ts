import type { ProblemFacts } from '../../../sync/status/problem-facts.ts';
import { englishWords, sayWhole, type WholeSentence } from '../../../sync/status/problem-words.ts';
import type { ApiProblem } from '../app/api.ts';
import { formatShortTime } from '../app/format.ts';
import { language } from '../app/settings.ts';
import { chineseOf } from './code-text.ts';
import { makeChineseWords, sayCause, sayRemedy } from './problems-zh.ts';
import { shell } from './shell.ts';

const chineseWords = makeChineseWords(chineseOf);
const isChinese = () => language.value === 'zh';
const wordsNow = () => (isChinese() ? chineseWords : englishWords);
const clock = (time: string): string => formatShortTime(time);

/** Says in one sentence whether everything is stored, and the worst problems. */
export const sayOverview = (found: WholeSentence): string => sayWhole(found, wordsNow(), clock);

/** What the overview tells of a problem. */
interface ShownProblem {
  readonly facts: ProblemFacts;
  readonly remedy: string;
  readonly code?: string | undefined;
}

export const sayProblem = ({ facts }: ShownProblem): string => wordsNow().problem(facts, clock);

/** Says what to do. Commands stand between backticks. */
export const remedyOf = ({ facts, remedy, code }: ShownProblem): string =>
  isChinese() ? sayRemedy(facts, chineseOf(code)) : remedy;

/** Returns what a server said, if the chosen language says it otherwise. */
export function saidOf({ facts }: ShownProblem): string | undefined {
  const cause = facts.says === 'missing' ? causeOfMissing(facts) : 'cause' in facts ? facts.cause : undefined;
  if (!isChinese() || cause === undefined || cause.failure !== undefined) return undefined;
  return sayCause(cause, chineseOf).includes(cause.text) ? undefined : cause.text;
}

function causeOfMissing({ why }: Extract<ProblemFacts, { says: 'missing' }>) {
  return why !== undefined && 'cause' in why ? why.cause : undefined;
}

/** Says why something is away. */
export function sayReason({ reason = '', code }: { reason?: string | undefined; code?: string | undefined }) {
  return (isChinese() ? chineseOf(code)?.[0] : undefined) ?? reason;
}

/** Codes of many causes: their message says which one it is. */
const GENERAL = ['usage.wrong_request', 'usage.wrong_value', 'usage.wrong_time', 'internal.unexpected'];

/** Says why a request failed, and what to do. */
export function sayRefusal({ code, message, problems = [] }: ApiProblem): string {
  if (code === 'page.offline') return shell.value.problem.offline;
  const whole = [message, ...problems].join('\n');
  const known = isChinese() ? chineseOf(code) : undefined;
  if (known === undefined) return whole;
  const said = `${known[0]}。${known[1].replaceAll('`', '')}`;
  return GENERAL.includes(code) ? `${said}\n${shell.value.problem.original(whole)}` : said;
}
