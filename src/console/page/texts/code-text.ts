import { effect, signal } from '@preact/signals';
import { language } from '../app/settings.ts';
import type { CodeText } from './codes/code-texts.ts';

/** The texts of codes are large, and only readers of Chinese need them. */
const chinese = signal<Readonly<Record<string, CodeText>>>({});
effect(() => {
  if (language.value !== 'zh') return;
  // Without them, the sentences of the service are shown.
  import('./codes/chinese.ts').then(
    ({ chineseCodes }) => {
      chinese.value = chineseCodes;
    },
    () => undefined,
  );
});

/** The code at the end of what a run or a server has told. */
const CODE = /\[([a-z_]+\.[a-z_]+)\]$/;

/** Returns what the code at the end of a text means in Chinese. Undefined if there is none. */
export const meaningIn = (text: string): string | undefined => chineseOf(CODE.exec(text)?.[1])?.[0];

/** Returns what a code means in Chinese, and what to do. Undefined if nobody has translated it. */
export function chineseOf(code: string | undefined): CodeText | undefined {
  return code !== undefined && Object.hasOwn(chinese.value, code) ? chinese.value[code] : undefined;
}
