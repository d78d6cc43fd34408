import { computed, type ReadonlySignal } from '@preact/signals';
import { language } from '../app/settings.ts';

/** A text, a text with numbers or names in it, or a group of them. */
type Texts = { readonly [name: string]: string | ((...values: never[]) => string) | Texts };
/** The same names with texts of another language. */
type SameNames<T> = {
  readonly [K in keyof T]: T[K] extends string
    ? string
    : T[K] extends (...values: infer V) => string
      ? (...values: V) => string
      : SameNames<T[K]>;
};

/** Gives the texts of a page in the language that is chosen. Both languages have the same names. */
export function words<T extends Texts>(en: T, zh: SameNames<T>): ReadonlySignal<SameNames<T>> {
  return computed(() => (language.value === 'zh' ? zh : (en as unknown as SameNames<T>)));
}
