// The mark of a restore that is not finished, which the start of a service and the restore itself know.
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { WrongSettings } from '../../config.ts';

/** A file in the data directory from the beginning of a restore until its end; it stays if the restore is killed. */
export const RESTORE_MARK = 'restore-unfinished';
/** The lock by which one restore at a time works in the directory. */
export const RESTORE_LOCK = 'restore.lock';

/** Throws WrongSettings while a restore is at work in the directory, and after it was killed: the log is put last. */
export async function mustBeRestored(dataDir: string): Promise<void> {
  const isUnfinished = await access(join(dataDir, RESTORE_MARK)).then(
    () => true,
    () => false,
  );
  if (isUnfinished)
    throw new WrongSettings([`A restore into ${dataDir} is not finished. Run \`counterfoil restore\` again.`]);
}
