import { useSignal } from '@preact/signals';
import { shell } from '../texts/shell.ts';

const SHOWN_MS = 2_000;

/** A text to copy, such as a command, with a button that copies it. */
export function Copy({ text }: { text: string }) {
  const isCopied = useSignal(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    isCopied.value = true;
    setTimeout(() => {
      isCopied.value = false;
    }, SHOWN_MS);
  };
  return (
    <span class="copy">
      <code>{text}</code>
      {/* Browsers copy only where the connection is safe; elsewhere people select the text. */}
      {window.isSecureContext && (
        <button type="button" class="quiet" onClick={copy}>
          {isCopied.value ? shell.value.copied : shell.value.copy}
        </button>
      )}
    </span>
  );
}
