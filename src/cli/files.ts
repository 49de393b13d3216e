// Files that commands write and read: private ones, replaced in one step, and JSON that a command is given.
import { constants } from 'node:fs';
import { type FileHandle, lchown, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { WrongUsage } from './exit.ts';

const { O_CREAT, O_NOFOLLOW, O_TRUNC, O_WRONLY } = constants;

/** The end of the name of a file that is not finished. */
export const PARTIAL = '.partial';

/**
 * A new or emptied file that only its owner reads. A file that root makes belongs to the owner of its directory: the
 * service could not open one of root. Throws ELOOP for a link, which could lead anywhere.
 */
export async function openPrivate(file: string): Promise<FileHandle> {
  const handle = await open(file, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o600);
  if (!isRoot()) return handle;
  const { uid, gid } = await stat(dirname(file));
  await handle.chown(uid, gid);
  return handle;
}

/** Gives what root has made at the path to the owner of its directory. */
export async function leaveToOwner(path: string): Promise<void> {
  if (!isRoot()) return;
  const { uid, gid } = await stat(dirname(path));
  await lchown(path, uid, gid);
}

const isRoot = (): boolean => process.geteuid?.() === 0;

/**
 * Afterwards the file has either its former text or this one, even after a crash. What root replaces keeps its owner.
 */
export async function replaceFile(file: string, text: string): Promise<void> {
  const draft = file + PARTIAL;
  try {
    const handle = await openPrivate(draft);
    try {
      await handle.writeFile(text);
      const replaced = isRoot() ? await stat(file).catch(() => undefined) : undefined;
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

/** JSON of any shape: its command says whether it is right. Throws WrongUsage. */
export async function readJsonFile(file: string): Promise<unknown> {
  const bytes = await readFile(file).catch((fault: Error) => {
    throw new WrongUsage(`${file} cannot be read: ${fault.message}`);
  });
  if (isUtf16(bytes)) throw new WrongUsage(`${file} is UTF-16, as PowerShell writes it: save it as UTF-8.`);
  try {
    return JSON.parse(new TextDecoder('utf-8').decode(bytes)); // without a byte order mark
  } catch (fault) {
    throw new WrongUsage(`${file} is not JSON: ${fault instanceof Error ? fault.message : String(fault)}`);
  }
}

/** Of JSON, whose first character is ASCII: by its mark, or by the empty half of that character. */
const isUtf16 = ([first, second]: Buffer): boolean =>
  (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff) || first === 0 || second === 0;
