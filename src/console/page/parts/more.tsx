import { useSignal } from '@preact/signals';
import { shell } from '../texts/shell.ts';

/** The button below a list that has more. */
export function More({ more }: { more: (() => Promise<void>) | undefined }) {
  const isBusy = useSignal(false);
  const problem = useSignal('');
  if (more === undefined) return null;
  const read = async () => {
    isBusy.value = true;
    problem.value = '';
    await more().catch((error: unknown) => {
      problem.value = error instanceof Error ? error.message : String(error);
    });
    isBusy.value = false;
  };
  return (
    <p class="more">
      <button type="button" disabled={isBusy.value} onClick={read}>
        {shell.value.more}
      </button>{' '}
      {problem.value !== '' && (
        <span class="problem" role="alert">
          {problem.value}
        </span>
      )}
    </p>
  );
}
