// The generated master secret: a file that only its owner can read, made once, even when several processes start at the same time.
import { link, mkdir, open, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../app-error.ts';
import { WrongSettings } from '../../config.ts';
import { newUuid, type World } from '../../world.ts';

const SHAPE = /^[A-Za-z0-9_-]{43}$/;
const OTHERS_MAY_READ = 0o077;

export interface SecretFile {
  readonly secret: Buffer;
  /** A message that the owner of the file should read. */
  readonly warning?: string;
}

export const secretFileIn = (dataDir: string): string => join(dataDir, 'secret.key');

/**
 * The secret in the file; undefined when there is none. Throws WrongSettings when the file holds no secret.
 */
export async function readSecretFile(file: string): Promise<SecretFile | undefined> {
  const text = await readFile(file, 'utf8').catch((fault: NodeJS.ErrnoException) => {
    if (fault.code === 'ENOENT') return undefined;
    throw new AppError('WrongSettings', `${file} cannot be read: ${fault.message}`, fault);
  });
  if (text === undefined) return undefined;
  if (!SHAPE.test(text.trim())) throw new WrongSettings([`${file} does not hold a secret: allowed is 32 bytes as base64url.`]);
  const secret = Buffer.from(text.trim(), 'base64url');
  const { mode } = await stat(file);
  const exposed = process.platform !== 'win32' && (mode & OTHERS_MAY_READ) !== 0;
  return { secret, ...(exposed && { warning: `Others on this machine may read ${file}: chmod 600 it.` }) };
}

/**
 * Makes the file unless another process was faster, and answers its content. It is on the disk when this resolves:
 * a store whose secret was lost with the power could never be opened again.
 */
export async function makeSecretFile(dataDir: string, world: World): Promise<SecretFile> {
  const file = secretFileIn(dataDir);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const draft = `${file}.${newUuid(world)}`;
  try {
    const handle = await open(draft, 'wx', 0o600);
    try {
      await handle.writeFile(`${Buffer.from(world.randomBytes(32)).toString('base64url')}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    // A link appears whole or not at all, and never replaces an existing file.
    await link(draft, file).catch((fault: NodeJS.ErrnoException) => {
      if (fault.code !== 'EEXIST') throw fault;
    });
    await syncDirectory(dataDir);
  } catch (fault) {
    throw new AppError('WrongSettings', `${file} cannot be made: ${String(fault)}`, fault);
  } finally {
    await rm(draft, { force: true });
  }
  const made = await readSecretFile(file);
  if (made === undefined) throw new AppError('WrongSettings', `${file} has gone while it was made.`);
  return made;
}

/** Some systems do not let a directory be opened; there is nothing more to do then. */
async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, 'r').catch(() => undefined);
  try {
    await handle?.sync();
  } finally {
    await handle?.close();
  }
}
