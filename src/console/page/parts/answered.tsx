import type { ComponentChildren } from 'preact';
import type { Answer } from '../app/api.ts';
import { sayRefusal } from '../texts/problems.ts';
import { shell } from '../texts/shell.ts';

/**
 * Shows an answer of the API: what it holds, or why it cannot be shown. Old data stay, and are called old.
 */
export function Answered<T>({
  answer,
  children,
}: {
  answer: Answer<T>;
  children: (data: T) => ComponentChildren;
}) {
  const texts = shell.value;
  const { data, problem, reload } = answer;
  return (
    <>
      {problem !== undefined && (
        <div class="banner late" role="alert">
          <strong>{data === undefined ? texts.problem.title : texts.problem.stale}</strong>{' '}
          <span>
            {sayRefusal(problem)} {!problem.code.startsWith('page.') && <code>{problem.code}</code>}
          </span>{' '}
          <button type="button" class="quiet" onClick={reload}>
            {texts.problem.retry}
          </button>
        </div>
      )}
      {data !== undefined ? children(data) : problem === undefined && <p class="muted">{texts.loading}</p>}
    </>
  );
}
