import type { CodeText } from './code-texts.ts';
import { consoleTexts } from './console.ts';
import { platformTexts } from './platform.ts';
import { storeTexts } from './stores.ts';

/** What codes mean, and what to do, in Chinese. Readers of English get the sentences of the service. */
export const chineseCodes: Readonly<Record<string, CodeText>> = {
  ...platformTexts,
  ...storeTexts,
  ...consoleTexts,
};
