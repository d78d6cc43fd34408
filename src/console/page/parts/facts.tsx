import type { ComponentChildren } from 'preact';

/** Names and values of one thing. Values that are undefined or empty are left out. */
export function Facts({ of }: { of: readonly (readonly [name: string, value: ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {of
        .filter(([, value]) => value !== undefined && value !== '' && value !== null && value !== false)
        .map(([name, value]) => [<dt key={`${name}:`}>{name}</dt>, <dd key={name}>{value}</dd>])}
    </dl>
  );
}

/** Any value of JSON as text: short ones in one line. */
export function Json({ value }: { value: unknown }) {
  const text = JSON.stringify(value, null, 2) ?? '';
  return text.includes('\n') ? <pre>{text}</pre> : <code>{text}</code>;
}
