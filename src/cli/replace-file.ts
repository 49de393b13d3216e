// Files that only their owner reads, and that are replaced in one step.
import { open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The end of the name of a file that is not finished. */
export const PARTIAL = '.partial';

/**
 * Afterwards the file has either its former text or this one, even after a crash. What root replaces keeps its owner.
 */
export async function replaceFile(file: string, text: string): Promise<void> {
  const draft = file + PARTIAL;
  try {
    const handle = await open(draft, 'w', 0o600);
    try {
      await handle.writeFile(text);
      const replaced = process.geteuid?.() === 0 ? await stat(file).catch(() => undefined) : undefined;
      if (replaced !== undefined) await handle.chown(replaced.uid, replaced.gid);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, file);
    await syncPath(dirname(file));
  } finally {
    await rm(draft, { force: true });
  }
}

/** Waits until a file, or the names in a directory, are on the disk. */
export async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r').catch((fault: NodeJS.ErrnoException) => {
    if (fault.code === 'EISDIR' || fault.code === 'EPERM') return undefined; // a system that opens no directory
    throw fault;
  });
  try {
    await handle?.sync();
  } finally {
    await handle?.close();
  }
}
