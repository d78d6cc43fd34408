import { streams } from '../../src/streams/index.ts';

/** The section `streams` of a configuration that reads these streams, and no other list. */
export function onlyStreams(...names: string[]): Record<string, boolean> {
  const lists = streams.filter(({ updates }) => !updates);
  return Object.fromEntries(lists.map(({ name }) => [name, names.includes(name)]));
}

/** The section `alarms` of a configuration that reads none. */
export const noAlarms = { current: false, history: false };
