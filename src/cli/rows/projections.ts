// counterfoil projections
import { command, flag, value } from '../command.ts';
import { WrongUsage } from '../exit.ts';

export const projections = {
  list: command({
    usage: 'list',
    summary: 'Each read model: version, checkpoint, lag, documents, parked streams, state',
    examples: ['projections list'],
    appends: false,
  }),
  rebuild: command(
    {
      usage: 'rebuild [name]',
      summary: 'Rebuild read models from the log while the service runs, and compare them',
      examples: ['projections rebuild --all', 'projections rebuild payments --dry-run'],
      rules: [
        'Read models with personal data, and so --all, need the secret of the store.',
        'If the digests differ and the version does not, it swaps, reports that and exits 1.',
        '--all continues after a read model that cannot be built, names it at the end and exits 1. Each step waits up to two minutes for MongoDB.',
      ],
      json: 'with --all the finished ones, left and failed',
      options: {
        all: flag('every read model'),
        from: value('<name>', 'with --all: start with this read model, at which an earlier run stopped'),
        dryRun: flag('stop before the swap'),
      },
    },
    ({ name, all, from }) => {
      if ((name === undefined) === (all !== true)) throw new WrongUsage('Name one read model, or use --all.');
      if (from !== undefined && all !== true) throw new WrongUsage('--from needs --all.');
    },
  ),
  parked: command({
    usage: 'parked [name]',
    summary: 'Parked streams, each with the event that could not be projected',
    examples: ['projections parked', 'projections parked payments', 'projections parked --released'],
    json: '{data: [{projection, stream, revision, type, reason, fault, since, isReleased}]}; broken streams are under log, those whose events the event store drops under limits',
    appends: false,
    options: { released: flag('include released streams') },
  }),
  /** Tries a parked stream again, after its fault was mended. */
  retry: command({
    usage: 'retry <name> <stream>',
    summary: 'Try a parked stream again',
    examples: ['projections retry payments payment-pay_0123'],
  }),
  /** Passes over the event that parks a stream, for this read model and for good. */
  discard: command({
    usage: 'discard <name> <stream>',
    summary: 'Skip the event that parks a stream; the event stays in the log',
    examples: ['projections discard payments payment-pay_0123'],
  }),
  release: command({
    usage: 'release <stream>',
    summary:
      'Let every read model continue without a parked stream, starting at the event that cannot be read; the stream stays in the log',
    examples: ['projections release payment-pay_0123'],
    rules: [
      'Read models continue without the stream, from its first unreadable event up to its current last one. The release is an event, which a rebuild applies too.',
      'The stream no longer degrades a node and is not a hole in the books. An error at a later event parks it again.',
      'A second release does nothing and says so; a stream that is not parked is refused.',
    ],
    json: '{stream, from, isNew}',
  }),
};
