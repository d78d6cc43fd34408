import type { ComponentChildren } from 'preact';
import { useFilters } from '../app/paged.ts';
import { records } from '../texts/records.ts';

/** The line of filters above a list. */
export function Filters({ children }: { children: ComponentChildren }) {
  return <div class="filters">{children}</div>;
}

/** A filter of some values. The first choice is none. */
export function Choice({
  name,
  title,
  values,
  none,
}: {
  name: string;
  title: string;
  values: readonly (readonly [value: string, text: string])[];
  /** What no choice means. The default is all. */
  none?: string;
}) {
  const { filters, set } = useFilters();
  const chosen = filters[name] ?? '';
  const isKnown = chosen === '' || values.some(([value]) => value === chosen);
  return (
    <label>
      {title}
      <select value={chosen} onChange={({ currentTarget }) => set(name, currentTarget.value)}>
        <option value="">{none ?? records.value.all}</option>
        {!isKnown && <option value={chosen}>{chosen}</option>}
        {values.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

/** A filter of any text, which counts when the person leaves the field or presses Enter. */
export function TextFilter({ name, title, hint }: { name: string; title: string; hint?: string }) {
  const { filters, set } = useFilters();
  return (
    <label>
      {title}
      <input
        value={filters[name] ?? ''}
        placeholder={hint}
        spellcheck={false}
        onChange={({ currentTarget }) => set(name, currentTarget.value.trim())}
      />
    </label>
  );
}
