// Faults against "Every past state can be shown" and "Changes of the log are noticed".
import { faultsOf } from './fault.ts';

export const PAST = faultsOf('Every past state can be shown', [
  {
    name: 'the past leaves out what was recorded in that millisecond',
    file: 'src/queries/past.ts',
    find: 'recorded.at > moment.at',
    replace: 'recorded.at >= moment.at',
  },
  {
    name: 'the past of a payment is shown to another account',
    file: 'src/queries/read-payments.ts',
    find: 'const isOwn = (payment: Payment): boolean => !isKnown(payment) || payment.accountId === accountId;',
    replace: 'const isOwn = (payment: Payment): boolean => !isKnown(payment) || accountId !== undefined;',
  },
  {
    name: 'a clock that was set back records an event before its predecessor',
    file: 'src/journal/envelope.ts',
    find: 'const recordedAt = Math.max(world.now(), head.recordedAt);',
    replace: 'const recordedAt = world.now();',
  },
  {
    name: 'each event of an append has the cause of the first one',
    file: 'src/journal/envelope.ts',
    find: '    causationId = stored.id;\n',
    replace: '',
  },
]);

export const LOG = faultsOf('Changes of the log are noticed', [
  {
    name: 'an altered event passes',
    file: 'src/journal/chain.ts',
    find: 'if (!endsInPreviousHash(stored.metadata, before) && previousHashOf(stored) !== before)',
    replace: "if (before === '' && previousHashOf(stored) !== '')",
  },
  {
    name: 'an altered last event passes a reader that has seen it',
    file: 'src/journal/stream-folds.ts',
    find: "      if (link.revision === head.revision && link.hash !== head.hash)\n        throw new BrokenStream(stored, 'another event had this revision earlier');\n",
    replace: '',
  },
  {
    name: 'counterfoil-verify takes an event that is not in the signed log',
    file: 'src/verify/verify.ts',
    find: 'return last === 0 && hash === root;',
    replace: 'return last === 0;',
  },
  {
    name: 'counterfoil-verify takes a log that does not extend the kept one',
    file: 'src/verify/verify.ts',
    find: 'return last === 0 && oldRoot === older.root && newRoot === newer.root;',
    replace: 'return last === 0 && newRoot === newer.root;',
  },
  {
    name: 'the proof of an agreement leaves out the payments that charged it',
    file: 'src/audit/export-proof.ts',
    find: "payments === 'all' && event.type === 'ChargeClaimed'",
    replace: "payments !== 'all' && event.type === 'ChargeClaimed'",
  },
  {
    name: 'audit verify does not hold the log against its own checkpoints',
    file: 'src/audit/own-checkpoints.ts',
    find: 'if (roots.get(treeSize) !== root)',
    replace: 'if (!roots.has(treeSize))',
  },
  {
    name: 'audit verify takes a checkpoint with any signature',
    file: 'src/audit/own-checkpoints.ts',
    find: 'if (!isSignedBy(checkpoint, publicKey))',
    replace: "if (checkpoint.signature === '')",
  },
  {
    name: 'a key that begins with -V makes audit verify print the version, and look at nothing',
    file: 'src/cli/program.ts',
    find: '    .enablePositionalOptions()',
    replace: '    .helpCommand(true)',
  },
]);
