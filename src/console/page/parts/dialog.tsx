import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { shell } from '../texts/shell.ts';

/** A window over the page. The browser keeps the keyboard in it, and Escape closes it. */
export function Dialog({
  title,
  onClose,
  children,
}: {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
}) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    element.current?.showModal();
  }, []);
  return (
    <dialog ref={element} onClose={onClose} aria-label={title}>
      <header>
        <h2>{title}</h2>
        <button
          type="button"
          class="icon-button"
          aria-label={shell.value.close}
          onClick={() => element.current?.close()}
        >
          ✕
        </button>
      </header>
      {children}
    </dialog>
  );
}
