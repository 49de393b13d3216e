// The register of erasures beside a backup: people who were erased after its creation do not come back with it.
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { keysIn } from '../../journal/destroyed-keys.ts';
import type { Secrets } from '../../secrets.ts';
import type { KeyStore } from '../../stores/key-store.ts';
import { openSqliteKeyStore } from '../../stores/sqlite/key-store.ts';
import { formatTime, parseTime, type World } from '../../world.ts';
import { Refused } from '../exit.ts';
import { replaceFile } from '../files.ts';
import { intoOneFile } from './backup-directory.ts';

/** It identifies the key of a person without identifying the person. */
const Erasure = z.strictObject({
  keyId: z.string(),
  /** RFC 3339, business time. */
  time: z.iso.datetime(),
});
export type Erasure = z.infer<typeof Erasure>;

const FORMAT = 'counterfoil-erasures-1';
/** The first line. */
const Header = z.strictObject({
  format: z.literal(FORMAT),
  /** The id of the store's first event. */
  storeId: z.string(),
  /** The lines that follow. */
  count: z.int(),
  /** HMAC-SHA256 in hex over the other members and the lines, by a key of the master secret. */
  hmac: z.string(),
});

const LABEL = 'erasure-register';
const signedText = (storeId: string, count: number, lines: string): string =>
  `${FORMAT}\n${storeId}\n${count}\n${lines}`;

interface RegisterOwner {
  /** The master secrets of the store. */
  readonly secrets: Secrets;
  readonly storeId: string;
}

/**
 * The erasures of a register. Throws Refused for a file that is missing, was altered or cut, or is of another store, or
 * if no secret of this machine signed it: nobody may be left out.
 */
export async function readErasures(file: string, { secrets, storeId }: RegisterOwner): Promise<readonly Erasure[]> {
  const text = await readFile(file, 'utf8').catch((fault: NodeJS.ErrnoException) => {
    throw new Refused(
      `${file} cannot be read: ${fault.message}. It names the people who were erased: give the newest register with --erasures.`,
    );
  });
  const end = text.indexOf('\n') + 1;
  const header = Header.safeParse(valueIn(text.slice(0, end)));
  if (!header.success)
    throw new Refused(
      `${file} is not a register of erasures, or one of an earlier version: it has no header. Run \`counterfoil backup\` again, or give the newest register with --erasures.`,
    );
  if (secrets.keys(LABEL).length === 0)
    throw new Refused(
      `${file} cannot be checked: the secret of the store is not here. Set COUNTERFOIL_SECRET, or put secret.key in the data directory.`,
    );
  const { hmac, count, storeId: ofStore } = header.data;
  const lines = text.slice(end);
  if (!secrets.verifies(LABEL, signedText(ofStore, count, lines), Buffer.from(hmac, 'hex')))
    throw new Refused(
      `${file} was altered, or is signed by a secret that is not on this machine. Use another copy of the register, or add the secret.`,
    );
  if (ofStore !== storeId)
    throw new Refused(`${file} is the register of another store, ${ofStore}. Use that of the backup's store.`);
  return z.array(Erasure).parse(
    lines
      .split('\n')
      .filter((line) => line !== '')
      .map(valueIn),
  );
}

function valueIn(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/**
 * Writes the register of all erasures that the key store knows, in place of an older one. `unrecorded`: ids of
 * destroyed keys that no erasure destroyed, which it leaves out. Throws StoreUnavailable.
 */
export async function writeErasures(
  file: string,
  keys: KeyStore,
  unrecorded: ReadonlySet<string>,
  { secrets, storeId }: RegisterOwner,
): Promise<void> {
  const erasures: string[] = [];
  for await (const { id: keyId, destroyedAt } of keysIn(keys))
    if (destroyedAt !== undefined && !unrecorded.has(keyId))
      erasures.push(`${JSON.stringify({ keyId, time: formatTime(destroyedAt) })}\n`);
  const [lines, count] = [erasures.join(''), erasures.length];
  const hmac = secrets.sign(LABEL, signedText(storeId, count, lines)).toString('hex');
  await replaceFile(file, `${JSON.stringify({ format: FORMAT, storeId, count, hmac })}\n${lines}`);
}

/** What a restore did with the register. */
export interface AppliedErasures {
  /** Keys of the backup that it destroyed. */
  readonly destroyed: number;
  /** Keys that were destroyed in the backup already. */
  readonly already: number;
  /** Keys that the backup does not have: they were created after it. */
  readonly absent: number;
}

/**
 * Destroys the keys of erased people in a restored key store, before it is in its place. A key that the backup does not
 * have gets a tombstone, so that the next register names it again. Throws Refused without keys: the people would come
 * back. `file`: undefined if the backup has none.
 */
export async function applyErasures(
  file: string | undefined,
  erasures: readonly Erasure[],
  world: World,
): Promise<AppliedErasures> {
  const applied = { destroyed: 0, already: 0, absent: 0 };
  if (erasures.length === 0) return applied;
  if (file === undefined)
    throw new Refused(
      `The register names ${erasures.length === 1 ? 'an erasure' : `${erasures.length} erasures`}, and the backup has no keys: personal data in it cannot be erased. Use a newer backup.`,
    );
  const keys = await openSqliteKeyStore({ file, world });
  try {
    for (const { keyId, time } of erasures) {
      const [key] = await keys.get([keyId]);
      applied[key === undefined ? 'absent' : key.wrapped === undefined ? 'already' : 'destroyed'] += 1;
      await keys.destroy([keyId], parseTime(time) ?? world.now());
    }
  } finally {
    await keys.close();
  }
  await intoOneFile(file);
  return applied;
}
