import { computed, effect, signal } from '@preact/signals';

/** Choices of the person, kept by the browser. */
export type Theme = 'light' | 'dark' | 'auto';
export type Language = 'en' | 'zh';
/** The zone in which times are shown: that of the plant, or that of the browser. */
export type ZoneChoice = 'plant' | 'browser';

export const theme = kept<Theme>('theme', ['auto', 'light', 'dark']);
export const language = kept<Language>(
  'language',
  navigator.language.startsWith('zh') ? ['zh', 'en'] : ['en', 'zh'],
);
export const zoneChoice = kept<ZoneChoice>('zone', ['plant', 'browser']);

/** The zone of the plant, as the console tells it. */
export const plantZone = signal('UTC');
/** The name of the zone in which times are shown. */
export const zone = computed(() =>
  zoneChoice.value === 'plant' ? plantZone.value : Intl.DateTimeFormat().resolvedOptions().timeZone,
);

const prefersDark = matchMedia('(prefers-color-scheme: dark)');
const systemTheme = signal<'light' | 'dark'>(prefersDark.matches ? 'dark' : 'light');
prefersDark.addEventListener('change', ({ matches }) => {
  systemTheme.value = matches ? 'dark' : 'light';
});
/** The theme in force: that of the system, unless somebody has chosen another. */
export const themeInForce = computed(() => (theme.value === 'auto' ? systemTheme.value : theme.value));
effect(() => {
  document.documentElement.dataset.theme = themeInForce.value;
});
effect(() => {
  document.documentElement.lang = language.value === 'zh' ? 'zh-Hans' : 'en';
});

/** Makes a choice that outlives the page. The first value is the choice of nobody. */
function kept<T extends string>(name: string, values: readonly [T, ...T[]]) {
  const key = `plantsync.${name}`;
  const read = (): T => {
    try {
      return values.find((value) => value === localStorage.getItem(key)) ?? values[0];
    } catch {
      // A browser may forbid a page to keep anything.
      return values[0];
    }
  };
  const choice = signal<T>(read());
  effect(() => {
    try {
      localStorage.setItem(key, choice.value);
    } catch {
      // The choice then lasts as long as the page.
    }
  });
  return choice;
}
