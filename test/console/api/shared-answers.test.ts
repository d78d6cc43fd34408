import { expect, it } from 'vitest';
import { SharedAnswers } from '../../../src/console/api/shared-answers.ts';

function openAnswers() {
  let nowMs = 0;
  let made = 0;
  const answers = new SharedAnswers(() => nowMs);
  const here = new AbortController().signal;
  return {
    answers,
    pass: (ms: number) => {
      nowMs += ms;
    },
    /** Asks the question, whose answer takes so long. */
    ask: (tookMs: number, question = 'q', gone = here) =>
      answers.give(question, gone, async () => {
        made += 1;
        nowMs += tookMs;
        return `answer ${made}`;
      }),
  };
}

it('gives an answer again for ten times the time that it took, and never for longer than 10 s', async () => {
  const { ask, pass } = openAnswers();
  expect(await ask(20)).toBe('answer 1');
  pass(199);
  expect(await ask(20)).toBe('answer 1');
  pass(1);
  expect(await ask(5_000)).toBe('answer 2');
  pass(9_999);
  expect(await ask(20)).toBe('answer 2');
  pass(1);
  expect(await ask(20)).toBe('answer 3');
});

it('works out an answer once for all who ask while it is made, and not for another question', async () => {
  const { answers } = openAnswers();
  const made: string[] = [];
  let finish: (() => void) | undefined;
  const waiting = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const ask = (question: string) =>
    answers.give(question, new AbortController().signal, async () => {
      made.push(question);
      await waiting;
      return `of ${question}`;
    });
  const all = Promise.all([ask('a'), ask('a'), ask('b'), ask('a')]);
  finish?.();
  expect(await all).toEqual(['of a', 'of a', 'of b', 'of a']);
  expect(made).toEqual(['a', 'b']);
});

it('works out an answer again once something has changed, also if it was being made', async () => {
  const { answers, ask } = openAnswers();
  await ask(100);
  answers.forget();
  expect(await ask(100)).toBe('answer 2');
  const early = ask(100);
  answers.forget();
  const late = ask(100);
  expect(await Promise.all([early, late])).toEqual(['answer 2', 'answer 3']);
});

it('ends the work when the last who waits for it has left, and not before', async () => {
  const { answers } = openAnswers();
  const [first, second] = [new AbortController(), new AbortController()];
  let ended: unknown;
  const make = (signal: AbortSignal) =>
    new Promise<string>((_, reject) => {
      signal.addEventListener('abort', () => {
        ended = signal.reason;
        reject(signal.reason);
      });
    });
  const answersOf = [answers.give('q', first.signal, make), answers.give('q', second.signal, make)];
  const settled = Promise.allSettled(answersOf);
  first.abort(new Error('the first has left'));
  expect(ended).toBeUndefined();
  second.abort(new Error('the second has left'));
  expect(ended).toEqual(new Error('the second has left'));
  await settled;
  expect(await answers.give('q', new AbortController().signal, async () => 'made again')).toBe('made again');
});

it('keeps no error', async () => {
  const { answers, ask } = openAnswers();
  const fail = () => answers.give('q', new AbortController().signal, () => Promise.reject(new Error('away')));
  await expect(fail()).rejects.toThrow('away');
  expect(await ask(1)).toBe('answer 1');
});
