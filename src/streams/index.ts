import type { Stream } from './define.ts';
import { objectProperties } from './object-properties.ts';
import { objects } from './objects.ts';
import { persons } from './persons.ts';

/** All snapshot streams, parents before their children. */
export const streams: readonly Stream[] = [persons, objects, objectProperties];
