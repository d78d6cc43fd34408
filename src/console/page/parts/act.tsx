import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { service } from '../app/service.ts';

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
  const problem = useSignal('');
  if (service.value?.readOnly) return null;
  const act = async () => {
    isBusy.value = true;
    problem.value = '';
    try {
      await onAct();
    } catch (error) {
      problem.value = error instanceof Error ? error.message : String(error);
    } finally {
      isBusy.value = false;
    }
  };
  return (
    <>
      <button type="button" class={isPrimary ? 'primary' : 'quiet'} disabled={isBusy.value} onClick={act}>
        {children}
      </button>
      {problem.value !== '' && (
        <span class="problem" role="alert">
          {problem.value}
        </span>
      )}
    </>
  );
}
