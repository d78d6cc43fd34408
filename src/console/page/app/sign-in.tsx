import { useSignal } from '@preact/signals';
import { sayRefusal } from '../texts/problems.ts';
import { shell } from '../texts/shell.ts';
import { ask, problemOf } from './api.ts';

/** The form in which people give the token of the console. */
export function SignIn({ onDone }: { onDone: () => void }) {
  const texts = shell.value.signIn;
  const token = useSignal('');
  const problem = useSignal('');
  const submit = async (event: Event) => {
    event.preventDefault();
    problem.value = '';
    try {
      await ask('/session', { method: 'POST', json: { token: token.value } });
      onDone();
    } catch (error) {
      const refusal = problemOf(error);
      problem.value = refusal.code === 'console.wrong_token' ? texts.wrong : sayRefusal(refusal);
    }
  };
  return (
    <main class="sign-in">
      <form class="card" onSubmit={submit}>
        <img src="/icon.svg" alt="" width="40" height="40" />
        <h1>{texts.title}</h1>
        <label>
          {texts.token}
          <input
            type="password"
            autocomplete="current-password"
            required
            value={token.value}
            onInput={(event) => {
              token.value = event.currentTarget.value;
            }}
          />
        </label>
        <p class="muted">{texts.hint}</p>
        {problem.value !== '' && (
          <p class="problem" role="alert">
            {problem.value}
          </p>
        )}
        <button type="submit" class="primary">
          {texts.submit}
        </button>
      </form>
    </main>
  );
}
