import type { StoreKind } from '../../../../src/load/stores/store-kind.ts';
import { createFilesStore } from './create-store.ts';
import { filesStoreId, filesStorePrefix, resolveFilesOptions } from './options.ts';
import { lookForHome } from './prepare.ts';

/**
 * The kind of store that keeps its points in files of this folder. The configuration of plantsync has no
 * section for it.
 */
export function filesKind(folder: string): StoreKind {
  const target = resolveFilesOptions({ folder });
  const kind: StoreKind = {
    name: 'files',
    title: 'files',
    takesEvents: true,
    isConfigured: () => true,
    configure: () => ({
      kind,
      id: filesStoreId(target),
      prefix: filesStorePrefix(target),
      place: { noun: 'folder', name: target.name, option: 'files.folder' },
      summary: `${target.folder} takes points`,
      open: async ({ makesPlace }) => createFilesStore({ folder }, { makesPlace }),
      openPulse: async () => ({ feel: () => lookForHome(target), close: async () => undefined }),
    }),
  };
  return kind;
}
