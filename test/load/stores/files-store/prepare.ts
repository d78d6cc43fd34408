import { mkdir, readdir, stat } from 'node:fs/promises';
import { messageOf, StoreError } from '../../../../src/errors.ts';
import { MissingDatabaseError } from '../../../../src/load/stores/missing-database.ts';
import { syncFolder } from './append.ts';
import type { FilesTarget } from './options.ts';

type StoreErrorCode = ConstructorParameters<typeof StoreError>[0];

/** Codes of a store of the product stand in src/error-codes, from which the type is made. */
const [AWAY, MISSING] = ['files.away', 'files.missing_folder'].map((code) => code as StoreErrorCode) as [
  StoreErrorCode,
  StoreErrorCode,
];

/**
 * Makes the folder unless it is there; resolves to whether it did. Throws a `StoreError` of action `retry`
 * where its home is away.
 */
export async function prepareFiles(
  target: FilesTarget,
  { makesPlace }: { makesPlace: boolean },
): Promise<boolean> {
  await lookForHome(target);
  const names = await readdir(target.home);
  if (names.includes(target.name)) return false;
  if (!makesPlace)
    throw new MissingDatabaseError(MISSING, `${target.label}: the folder does not exist`, {
      label: target.label,
      databases: names,
    });
  await mkdir(target.folder, { recursive: true });
  await syncFolder(target.home);
  return true;
}

/** Throws a `StoreError` of action `retry` unless the folder is there that the store lies in. */
export async function lookForHome({ home, label }: FilesTarget): Promise<void> {
  const isThere = await stat(home).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isThere)
    throw new StoreError(AWAY, `${label}: ${home} is away. Is its disk mounted?`, { action: 'retry' });
}

/** Does work with files; what the file system says becomes a `StoreError`. */
export async function withFiles<T>(target: FilesTarget, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw await asFilesError(error, target);
  }
}

async function asFilesError(error: unknown, target: FilesTarget): Promise<unknown> {
  const code = (error as NodeJS.ErrnoException | null)?.code;
  if (error instanceof StoreError || code === undefined) return error;
  const { label } = target;
  if (code !== 'ENOENT' && code !== 'ENOTDIR') {
    const action = code === 'EACCES' || code === 'EROFS' ? 'stop' : 'retry';
    return new StoreError(AWAY, `${label}: ${messageOf(error)}`, { action, cause: error });
  }
  return lookForHome(target).then(
    () => new MissingDatabaseError(MISSING, `${label}: the folder is gone`, { label, cause: error }),
    (away: unknown) => away,
  );
}
