import { streams } from '../../src/streams/index.ts';

/** Returns the section `streams` of a configuration that reads the named streams and no others. */
export function onlyStreams(...names: string[]): Record<string, boolean> {
  const lists = streams.filter(({ updates }) => !updates);
  return Object.fromEntries(lists.map(({ name }) => [name, names.includes(name)]));
}

/** The section `alarms` of a configuration that reads no alarms. */
export const noAlarms = { current: false, history: false };
