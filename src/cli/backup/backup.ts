// counterfoil backup and restore: the log and what belongs to it in a directory elsewhere, and a store from that.
import type { Command } from 'commander';
import { declare, STORE_SETTINGS } from '../command.ts';
import type { BackupOptions, RestoreOptions } from './run.ts';

export function backup(parent: Command): void {
  declare(parent, {
    usage: 'backup',
    summary: 'Bring a backup up to the log as it is now, while the service runs; it is verified as it is written',
    examples: ['backup --out /mnt/backups/monday'],
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
