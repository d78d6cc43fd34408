import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { type ApiProblem, problemOf } from '../app/api.ts';
import { service } from '../app/service.ts';
import { sayRefusal } from '../texts/problems.ts';

/**
 * A button that asks the console to change something. It waits for the answer, shows why it failed, and is
 * not there on a screen that may only show.
 */
export function Act({
  onAct,
  isPrimary = false,
  children,
}: {
  onAct: () => Promise<unknown>;
  isPrimary?: boolean;
  children: ComponentChildren;
}) {
  const isBusy = useSignal(false);
  const problem = useSignal<ApiProblem | undefined>(undefined);
  if (service.value?.readOnly) return null;
  const act = async () => {
    isBusy.value = true;
    problem.value = undefined;
    try {
      await onAct();
    } catch (error) {
      problem.value = problemOf(error);
    } finally {
      isBusy.value = false;
    }
  };
  return (
    <>
      <button type="button" class={isPrimary ? 'primary' : 'quiet'} disabled={isBusy.value} onClick={act}>
        {children}
      </button>
      {problem.value !== undefined && (
        <span class="problem" role="alert">
          {sayRefusal(problem.value)}
        </span>
      )}
    </>
  );
}
