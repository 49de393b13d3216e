// counterfoil backup and restore: the log and what belongs to it in a directory elsewhere, and a store from that.
import type { Command } from 'commander';
import { declare, STORE_SETTINGS } from '../command.ts';
import type { BackupOptions, RestoreOptions } from './run.ts';

export function backup(parent: Command): void {
  declare(parent, {
    usage: 'backup',
    summary: 'Bring a backup up to the log as it is now, while the service runs; it is verified as it is written',
    examples: ['backup --out /mnt/backups/monday'],
    rules: [
      'Log, ledger of the sandbox and keys are of one instant on embedded stores. The chain of each stream is checked in what was written, and each file compared with its source before the manifest names it. Until a run has ended, the directory holds the previous backup.',
      'Exits 1 if the log has breaks, a key is missing, or an embedded log has damage.',
      'Refused: a directory with a missing or altered file, a backup of another store, a log that was changed, put back or lost its end, a second run at the same time, a machine without the secret, and keys that are damaged, of another log, older than the log, opened by no secret or destroyed by no erasure on record. A new directory takes the last three, with exit code 1.',
    ],
    json: '{directory, storeId, events, added, broken, position, lastRecordedAt, madeAt, parts: [{part, file, bytes, sha256, readAt?}], damage}',
    settings: STORE_SETTINGS,
    appends: false,
  })
    .requiredOption('--out <dir>', 'a new directory, or that of an earlier backup: only new events are added then')
    .option('--verify', 'read every file that the directory has; without it: those unread for seven days')
    .action(async (options: BackupOptions) => {
      const { runBackup } = await import('./run.ts');
      await runBackup(options);
    });
}

export function restore(parent: Command): void {
  declare(parent, {
    usage: 'restore',
    summary: 'Verify a backup, and make a store of it in a data directory that has none',
    examples: ['restore --from /mnt/backups/monday --data-dir data'],
    rules: [
      'The next run finishes a killed one, and no service starts there before. The secret of the store must be on the machine: it verifies the register of erasures.',
      'Refused: a directory that holds a store, a file that is changed or missing, a second restore at the same time, and a register that is missing, altered, cut, of another store or not applicable.',
      'Exits 1 if keys are missing, open with no secret, or were destroyed by no erasure on record; everything in the backup was restored.',
    ],
    json: 'that of `backup`, with erasures: {named, destroyed, already, absent}',
    settings: STORE_SETTINGS,
    appends: false,
  })
    .requiredOption('--from <dir>', 'the directory of the backup, which is only read')
    .option('--erasures <file>', 'the register of erasures to apply; without it: erasures.jsonl of the backup')
    .action(async (options: RestoreOptions) => {
      const { runRestore } = await import('./run.ts');
      await runRestore(options);
    });
}
