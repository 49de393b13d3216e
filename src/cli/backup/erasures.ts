// The register of erasures beside a backup: people who were erased after its creation do not come back with it.
import { readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import type { KeyStore } from '../../stores/key-store.ts';
import { openSqliteKeyStore } from '../../stores/sqlite/key-store.ts';
import { formatTime, parseTime, type World } from '../../world.ts';
import { Refused, WrongUsage } from '../exit.ts';
import { removeSidecars, syncPath } from './backup-directory.ts';

/** It names the key of a person, and nobody. */
const Erasure = z.looseObject({
  keyId: z.string(),
  /** RFC 3339, business time. */
  time: z.iso.datetime(),
});
export type Erasure = z.infer<typeof Erasure>;

/**
 * The erasures of a register, a line of JSON each; none if the file does not exist and need not. Throws WrongUsage for
 * a file that cannot be read, or a line that is not an erasure: nobody may be left out.
 */
export async function readErasures(file: string, { mustExist }: { readonly mustExist: boolean }): Promise<Erasure[]> {
  const text = await readFile(file, 'utf8').catch((fault: NodeJS.ErrnoException) => {
    if (fault.code === 'ENOENT' && !mustExist) return '';
    throw new WrongUsage(`${file} cannot be read: ${fault.message}`);
  });
  return text
    .split('\n')
    .flatMap((line, at) => (line.trim() === '' ? [] : [erasureIn(line, `${file}, line ${at + 1}`)]));
}

function erasureIn(line: string, place: string): Erasure {
  try {
    return Erasure.parse(JSON.parse(line));
  } catch {
    throw new WrongUsage(`${place} is not an erasure: it needs keyId and time.`);
  }
}

const PAGE = 500;

/** Writes the register of all erasures that the key store knows, in place of an older one. Throws StoreUnavailable. */
export async function writeErasures(file: string, keys: KeyStore): Promise<void> {
  const lines: string[] = [];
  for (let after: string | undefined = ''; after !== undefined; ) {
    const page: Awaited<ReturnType<KeyStore['list']>> = await keys.list(after, PAGE);
    for (const { id: keyId, destroyedAt } of page)
      if (destroyedAt !== undefined) lines.push(`${JSON.stringify({ keyId, time: formatTime(destroyedAt) })}\n`);
    after = page.length < PAGE ? undefined : page.at(-1)?.id;
  }
  await writeFile(`${file}.new`, lines.join(''), { mode: 0o600 });
  await syncPath(`${file}.new`);
  await rename(`${file}.new`, file);
  await syncPath(dirname(file));
}

/**
 * Destroys the keys of erased people in a restored key store, before it is in its place. A key that the backup does not
 * have was made after it. Throws Refused without keys: the people would come back. `file`: undefined if the backup has
 * none.
 */
export async function applyErasures(
  file: string | undefined,
  erasures: readonly Erasure[],
  world: World,
): Promise<void> {
  if (erasures.length === 0) return;
  if (file === undefined)
    throw new Refused(
      `The register names ${erasures.length === 1 ? 'an erasure' : `${erasures.length} erasures`}, and the backup has no keys: personal data in it cannot be erased. Use a newer backup.`,
    );
  const keys = await openSqliteKeyStore({ file, world });
  try {
    for (const { keyId, time } of erasures) await keys.destroy([keyId], parseTime(time) ?? world.now());
  } finally {
    await keys.close();
  }
  await removeSidecars(file);
}
