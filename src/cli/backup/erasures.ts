// The register of erasures beside a backup: people who were erased after its creation do not come back with it.
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { Refused, WrongUsage } from '../exit.ts';

const Erasure = z.looseObject({
  /** The person, as the log names it. */
  subject: z.string(),
  keyId: z.string(),
  /** RFC 3339. */
  time: z.string(),
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
    throw new WrongUsage(`${place} is not an erasure: it needs subject, keyId and time.`);
  }
}

/**
 * Destroys the keys of these people in a restored key store, before it is in its place. Throws Refused if one cannot be
 * destroyed: the person would come back. `keys`: the file, undefined if the backup has none.
 */
export function applyErasures(keys: string | undefined, erasures: readonly Erasure[]): void {
  for (const erasure of erasures) destroyKey(keys, erasure);
}

/** Destroys one key in a restored key store. */
function destroyKey(keys: string | undefined, { subject }: Erasure): void {
  throw new Refused(
    keys === undefined
      ? `The register names the erasure of ${subject}, and the backup has no keys: personal data in it cannot be erased. Use a newer backup.`
      : `This version of Counterfoil cannot destroy the key of ${subject}. Use the version that wrote the backup, or a newer one.`,
  );
}
