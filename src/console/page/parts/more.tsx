import { useSignal } from '@preact/signals';
import { type ApiProblem, problemOf } from '../app/api.ts';
import { sayRefusal } from '../texts/problems.ts';
import { shell } from '../texts/shell.ts';

/** The button below a list that has more. */
export function More({ more }: { more: (() => Promise<void>) | undefined }) {
  const isBusy = useSignal(false);
  const problem = useSignal<ApiProblem | undefined>(undefined);
  if (more === undefined) return null;
  const read = async () => {
    isBusy.value = true;
    problem.value = undefined;
    await more().catch((error: unknown) => {
      problem.value = problemOf(error);
    });
    isBusy.value = false;
  };
  return (
    <p class="more">
      <button type="button" disabled={isBusy.value} onClick={read}>
        {shell.value.more}
      </button>{' '}
      {problem.value !== undefined && (
        <span class="problem" role="alert">
          {sayRefusal(problem.value)}
        </span>
      )}
    </p>
  );
}
