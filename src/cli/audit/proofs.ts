// counterfoil audit verify, checkpoint, key and export: what proves the log to its operator, and to people outside.
import type { Command } from 'commander';
import { type CommonOptions, declare, STORE_SETTINGS } from '../command.ts';
import type { CheckpointOptions, VerifyOptions } from './prove.ts';

const several = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

export function auditVerify(parent: Command): void {
  declare(parent, {
    usage: 'verify [stream]',
    summary: 'Recompute the hash chain of every stream, or of one, and hold the log against checkpoints',
    examples: ['audit verify', 'audit verify pay_0123', 'audit verify --checkpoint yesterday.json'],
    settings: STORE_SETTINGS,
    appends: false,
  })
    .option('--checkpoint <file>', 'a checkpoint: the log must begin with what it signs; several: once each', several)
    .option('--key <public>', 'the key of the checkpoint, where the secret of the store is not here', several)
    .action(async (stream: string | undefined, options: VerifyOptions) => {
      const { verifyStream, verifyWhole } = await import('./prove.ts');
      await (stream === undefined ? verifyWhole(options) : verifyStream(stream, options));
    });
}

export function auditCheckpoint(parent: Command): void {
  declare(parent, {
    usage: 'checkpoint',
    summary: 'Sign the log as it is now: a small file to keep elsewhere',
    examples: ['audit checkpoint --out today.json', 'audit checkpoint --since yesterday.json --out today.json'],
    settings: STORE_SETTINGS,
    appends: false,
  })
    .requiredOption('--out <file>', 'the file to write; it must not exist')
    .option('--since <file>', 'an earlier checkpoint: the new one shows that it extends it')
    .action(async (options: CheckpointOptions) => {
      const { makeCheckpoint } = await import('./prove.ts');
      await makeCheckpoint(options);
    });
}

export function auditKey(parent: Command): void {
  declare(parent, {
    usage: 'key',
    summary: 'The public key that verifies checkpoints and proofs of this store',
    examples: ['audit key'],
    settings: STORE_SETTINGS,
    appends: false,
  }).action(async (options: CommonOptions) => {
    const { showKey } = await import('./prove.ts');
    await showKey(options);
  });
}

export function auditExport(parent: Command): void {
  declare(parent, {
    usage: 'export <payment>',
    summary: 'The events of a payment with their proof, for counterfoil-verify',
    examples: [
      'audit export pay_0123 --out proof.json',
      'audit export pay_0123 --since yesterday.json --out proof.json',
    ],
    settings: STORE_SETTINGS,
    appends: false,
  })
    .requiredOption('--out <file>', 'the file to write; it must not exist')
    .option('--since <file>', 'a checkpoint that the reader has kept: the proof shows that it is extended')
    .action(async (payment: string, options: CheckpointOptions) => {
      const { exportProof } = await import('./prove.ts');
      await exportProof(payment, options);
    });
}
