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
    rules: [
      'Exits 1 for a break of a chain, a checkpoint that does not hold, a log that the secret of this machine does not open (unless --key is given), categories, indexes or pages of an embedded log that differ from its events, and a destroyed key that no erasure names. Missing keys of personal data count only if COUNTERFOIL_KEY_STORE is set.',
      'A checkpoint must be signed by a known key: of a secret on this machine, of --key, or of an earlier secret that a rotation names.',
      'Changes of the last events of a stream are seen up to the newest checkpoint. The store may be on a read-only file system.',
    ],
    json: '{events, streams, root, storeId, broken, breaks: [{stream, revision, fault}], checkpoints: [{file, holds, fault}], ownCheckpoints: {held, failed, ofOtherKeys, newest: {treeSize, madeAt}, firstFailed: {treeSize, madeAt, fault}}, isOfOtherSecret, damage, destroyedKeys: {recorded, earlier, unrecorded}}, at most 1,000 breaks',
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
    rules: [
      'Refused if the log is broken, or does not begin with what --since signs. A file that exists is never replaced.',
    ],
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
