import { useSignal } from '@preact/signals';
import { shell } from '../texts/shell.ts';

const SHOWN_MS = 2_000;

/** A text to copy, such as a command, with a button that copies it. A text of several lines is a block. */
export function Copy({ text, isBlock = false }: { text: string; isBlock?: boolean }) {
  const isCopied = useSignal(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    isCopied.value = true;
    setTimeout(() => {
      isCopied.value = false;
    }, SHOWN_MS);
  };
  return (
    <span class={isBlock ? 'copy block' : 'copy'}>
      {isBlock ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: people scroll it with the keyboard
        <pre tabIndex={0}>{text}</pre>
      ) : (
        <code>{text}</code>
      )}
      {/* Browsers copy only where the connection is safe; elsewhere people select the text. */}
      {window.isSecureContext && (
        <button type="button" class="quiet" onClick={copy}>
          {isCopied.value ? shell.value.copied : shell.value.copy}
        </button>
      )}
    </span>
  );
}
