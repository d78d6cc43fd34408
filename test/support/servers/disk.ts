import { statfs } from 'node:fs/promises';
import { runAsRoot } from '../run-as-root.ts';

/** The size of a disk that is never full. */
const roomy = '4g';
/** How often a disk is made as small as its files, which grow. */
const ATTEMPTS = 50;

/** A disk for the files of one server. */
export interface Disk {
  /** Leaves no room: every write from then on fails, as on any full disk. */
  fill(): Promise<void>;
  /** Makes room again. */
  free(): Promise<void>;
  /** Removes the disk with all its files. */
  remove(): Promise<void>;
}

/**
 * Mounts a disk in memory at a folder. Resolves to undefined where that is not permitted (it needs root or
 * sudo, on Linux).
 */
export async function mountDisk(folder: string): Promise<Disk | undefined> {
  try {
    const owner = `uid=${process.getuid?.()},gid=${process.getgid?.()}`;
    await runAsRoot('mount', '-t', 'tmpfs', '-o', `size=${roomy},mode=755,${owner}`, 'tmpfs', folder);
  } catch {
    return undefined;
  }
  const resize = (size: string) => runAsRoot('mount', '-o', `remount,size=${size}`, folder);
  return {
    async fill() {
      for (let left = ATTEMPTS; ; left -= 1)
        try {
          const { blocks, bfree, bsize } = await statfs(folder);
          return await resize(String((blocks - bfree) * bsize));
        } catch (error) {
          // The server may have written meanwhile. A disk cannot become smaller than what is on it.
          if (left <= 1) throw error;
        }
    },
    async free() {
      await resize(roomy);
    },
    async remove() {
      await runAsRoot('umount', '--lazy', folder);
    },
  };
}
