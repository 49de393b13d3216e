// The mark of a restore that is not finished, which the start of a service and the restore itself know.
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { WrongSettings } from '../../config.ts';

/** A file in the data directory while a restore is at work there: its lock, which stays if the restore is killed. */
export const RESTORE_LOCK = 'restore-unfinished';

/** Throws WrongSettings while a restore is at work in the directory, and after it was killed: the log is put last. */
export async function mustBeRestored(dataDir: string): Promise<void> {
  const isUnfinished = await access(join(dataDir, RESTORE_LOCK)).then(
    () => true,
    () => false,
  );
  if (isUnfinished)
    throw new WrongSettings([`A restore into ${dataDir} is not finished. Run \`counterfoil restore\` again.`]);
}
