import { basename, dirname, resolve } from 'node:path';

/** Where the files are. */
export interface FilesOptions {
  /**
   * The folder of the files, made by `prepare`. The folder that it lies in must be there: it stands for the
   * server.
   */
  readonly folder: string;
}

export interface FilesTarget {
  readonly folder: string;
  /** The folder that it lies in. */
  readonly home: string;
  readonly name: string;
  /** Names the store for people. */
  readonly label: string;
}

export function resolveFilesOptions({ folder }: FilesOptions): FilesTarget {
  const path = resolve(folder);
  return { folder: path, home: dirname(path), name: basename(path), label: `files in ${path}` };
}

/** Identity of a destination in the coverage ledger. */
export function filesStoreId(target: FilesTarget): string {
  return `${filesStorePrefix(target)}/${encodeURIComponent(target.name)}`;
}

/** The beginning of the identity: the folder that it lies in. */
export function filesStorePrefix({ home }: FilesTarget): string {
  return `files:${home}`;
}
