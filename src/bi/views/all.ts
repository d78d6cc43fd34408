import type { BiView } from '../bi-view.ts';
import { tagViews } from './tags.ts';

/** All views and functions of the schema `bi`. Each one stands after those that it reads. */
export const biViews: readonly BiView[] = [...tagViews];
