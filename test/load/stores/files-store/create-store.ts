import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { PointStore } from '../../../../src/load/stores/store.ts';
import { writeEvents } from './events.ts';
import { type FilesOptions, filesStoreId, resolveFilesOptions } from './options.ts';
import { prepareFiles, withFiles } from './prepare.ts';
import { readPage, readPoints } from './read.ts';
import { reduceNumbers, reduceTexts } from './reduce.ts';
import { removePoints } from './remove.ts';
import { heldOf, writePoints } from './write.ts';

const MEASUREMENT = 'runtime';

/**
 * A folder of line protocol as a store: a file for each stream, one for polls and one for events. Files grow
 * at their end only, but for a removal; of lines that are one point the last one counts. One process may
 * write to it at a time.
 */
export function createFilesStore(options: FilesOptions, { makesPlace }: { makesPlace: boolean }): PointStore {
  const target = resolveFilesOptions(options);
  const id = filesStoreId(target);
  // A folder that is gone is no empty store.
  const requireFolder = () => withFiles(target, () => access(target.folder));
  const fileOf = (name: string) => join(target.folder, `${encodeURIComponent(name)}.lp`);
  return {
    kind: 'files',
    id,
    events: {
      id: `${id}/alarm_events`,
      write: (events) => withFiles(target, () => writeEvents(fileOf('alarm_events'), events)),
    },
    prepare: () => withFiles(target, () => prepareFiles(target, { makesPlace })),
    async write({ stream, series }, commit) {
      const result = await withFiles(target, () => writePoints(fileOf(stream), MEASUREMENT, series));
      await commit(undefined, result.refused);
      return result;
    },
    async writePolls(points, commit) {
      const result = await withFiles(target, () => writePoints(fileOf('polls'), 'runtime_polled', points));
      await commit?.(undefined, points);
      return result;
    },
    held: async (_, points) => heldOf(points, MEASUREMENT),
    async *read({ stream, ...stretch }) {
      await requireFolder();
      yield* readPoints(fileOf(stream), stretch);
    },
    async readPage({ stream, ...page }) {
      await requireFolder();
      return readPage(fileOf(stream), page);
    },
    async reduceNumbers({ stream, ...question }) {
      await requireFolder();
      return reduceNumbers(fileOf(stream), question);
    },
    async reduceTexts({ stream, ...question }) {
      await requireFolder();
      return reduceTexts(fileOf(stream), question);
    },
    async remove(stream, removals, uncover) {
      await requireFolder();
      await uncover();
      await withFiles(target, () => removePoints(fileOf(stream), removals));
    },
    close: async () => undefined,
  };
}
