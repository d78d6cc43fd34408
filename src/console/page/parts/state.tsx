import type { ComponentChildren } from 'preact';

/** How something is. The sign tells it to those who see no colours. */
export type Level = 'ok' | 'late' | 'broken' | 'idle' | 'busy';

const signs: Readonly<Record<Level, string>> = { ok: '✓', late: '!', broken: '✕', idle: '–', busy: '↻' };

/** A short text about a state, with its colour and sign. */
export function State({ level, children }: { level: Level; children: ComponentChildren }) {
  return (
    <span class={`state ${level}`}>
      <span class="sign" aria-hidden="true">
        {signs[level]}
      </span>
      {children}
    </span>
  );
}
