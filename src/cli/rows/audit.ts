// counterfoil audit and books
import { parseTime } from '../../world.ts';
import { command, flag, needed, value } from '../command.ts';
import { WrongUsage } from '../exit.ts';
import { parseWholeNumber } from '../values.ts';

const several = (text: string, before: readonly string[] = []): readonly string[] => [...before, text];

export const audit = {
  streams: command({
    usage: 'streams',
    summary: 'The streams of the event log (reads all of it)',
    examples: ['audit streams --prefix payment-'],
    rules: [
      'Checks the chain of each stream, marks those that cannot be read (broken: {revision, fault}), lists all others and exits 1. Streams of other programs are counted, not checked.',
    ],
    appends: false,
    options: { prefix: value('<text>', 'only streams whose name begins with it') },
  }),
  show: command({
    usage: 'show <stream>',
    summary: 'The events of a stream, <category>-<id> or the id of a payment or an agreement',
    examples: ['audit show pay_0123', 'audit show payment-pay_0123 --jsonl'],
    rules: ['A broken stream is shown up to the break, with exit code 1.'],
    appends: false,
    options: { jsonl: flag('one line of JSON for each event') },
  }),
  replay: command({
    usage: 'replay <stream>',
    summary: 'The events of a stream with what each one changes, and its state at a time or revision',
    examples: [
      'audit replay pay_0123 --diff',
      'audit replay pay_0123 --at 2026-01-31T12:00:00Z',
      'audit replay pay_0123 --revision 2',
    ],
    rules: [
      'A line for each event; --diff shows the members that each one changes, and nothing else.',
      '--at and --revision show the state after the last of these events too, and --json always has it.',
    ],
    appends: false,
    options: {
      at: value('<time>', 'the state recorded at this time (RFC 3339)'),
      revision: value(
        '<n>',
        'the state after this event; the first event is 0',
        parseWholeNumber(0, Number.MAX_SAFE_INTEGER),
      ),
      diff: flag('the members that each event changes'),
    },
  }),
};

export const proofs = {
  verify: command({
    usage: 'verify [stream]',
    summary: 'Recompute the hash chain of every stream, or of one, and hold the log against checkpoints',
    examples: ['audit verify', 'audit verify pay_0123', 'audit verify --checkpoint yesterday.json'],
    rules: [
      'Exits 1 for a break of a chain, a checkpoint that does not hold, a log that the secret of this machine does not open (unless --key is given), categories, indexes or pages of an embedded log that differ from its events, and a destroyed key that no erasure names. Missing keys of personal data count only if COUNTERFOIL_KEY_STORE is set.',
      'A checkpoint must be signed by a known key: of a secret on this machine, of --key, or of an earlier secret that a rotation names.',
      'Changes of the last events of a stream are seen up to the newest checkpoint. The store may be on a read-only file system.',
    ],
    json: '{events, streams, root, storeId, broken, breaks: [{stream, revision, fault}], checkpoints: [{file, holds, fault}], ownCheckpoints: {held, failed, ofOtherKeys, newest: {treeSize, madeAt}, firstFailed: {treeSize, madeAt, fault}}, isOfOtherSecret, damage, destroyedKeys: {recorded, earlier, unrecorded}}, at most 1,000 breaks',
    appends: false,
    options: {
      checkpoint: value('<file>', 'a checkpoint: the log must begin with what it signs; several: once each', several),
      key: value('<public>', 'the key of the checkpoint, where the secret of the store is not here', several),
    },
  }),
  checkpoint: command({
    usage: 'checkpoint',
    summary: 'Sign the log as it is now: a small file to keep elsewhere',
    examples: ['audit checkpoint --out today.json', 'audit checkpoint --since yesterday.json --out today.json'],
    rules: [
      'Refused if the log is broken, or does not begin with what --since signs. A file that exists is never replaced.',
    ],
    appends: false,
    options: {
      out: needed('<file>', 'the file to write; it must not exist'),
      since: value('<file>', 'an earlier checkpoint: the new one shows that it extends it'),
    },
  }),
  key: command({
    usage: 'key',
    summary: 'The public key that verifies checkpoints and proofs of this store',
    examples: ['audit key'],
    appends: false,
  }),
  exportProof: command(
    {
      usage: 'export [subject]',
      summary: 'The events of a payment, an agreement or a dispute with their proof, for counterfoil-verify',
      examples: [
        'audit export pay_0123 --out proof.json',
        'audit export pay_0123 --since yesterday.json --out proof.json',
        'audit export agr_0123 --out proof.json',
        'audit export --dispute dsp_0123 --out proof.json',
      ],
      rules: [
        'Of an agreement: its stream, and each payment that began or charged it. Of a dispute: its payment, the agreement that the payment charges, and the payments that began that one.',
      ],
      json: '{paymentId or agreementId, file, streams, events}',
      appends: false,
      options: {
        dispute: value('<id>', 'instead of a payment or an agreement: what answers this dispute'),
        out: needed('<file>', 'the file to write; it must not exist'),
        since: value('<file>', 'a checkpoint that the reader has kept: the proof shows that it is extended'),
      },
    },
    ({ subject, dispute }) => {
      if ((subject === undefined) === (dispute === undefined))
        throw new WrongUsage('Give the id of a payment or an agreement, or --dispute.');
    },
  ),
};

export const conservation = {
  conservation: command({
    usage: 'conservation',
    summary: 'Fold every payment from the log: authorized ≥ captured ≥ refunded, by currency; exits 1 if it is not so',
    examples: ['audit conservation'],
    rules: [
      'Reads the log alone. Money that came too late and whose refund was refused, or that no rule explains (DIFFERS), is held: it is in no sum.',
      'Exits 1 for a payment that is not authorized ≥ captured ≥ refunded, or that cannot be read to its end.',
    ],
    json: '{conserved, position, currencies: [{currencyCode, payments, authorized, captured, refunded, overRefundAccepted}], held: [{currencyCode, payments, amount}], violations: [{stream, currencyCode, authorized, captured, refunded}], violated, unreadable, unread}, at most 1,000 names',
    appends: false,
  }),
};

function checkDay(name: string, day: string | undefined): void {
  const isDay = day === undefined || (/^\d{4}-\d\d-\d\d$/.test(day) && parseTime(`${day}T00:00:00Z`) !== undefined);
  if (!isDay) throw new WrongUsage(`--${name} is ${JSON.stringify(day)}: allowed is a day such as 2026-11-22.`);
}

export const books = {
  books: command(
    {
      usage: 'books',
      summary:
        'Totals of each day (UTC), compared with the current payments, and all open attempts; exits 1 if totals and payments differ or events are missing',
      examples: ['books', 'books --from 2026-11-01 --to 2026-11-30 --json'],
      rules: [
        'A stream that cannot be read is named under holes, and a released one under released. books[].held is money held for an operator, as in `audit conservation`.',
      ],
      options: {
        account: value('<id>', 'only this account; without it every account'),
        from: value('<day>', 'the first day to show; the comparison always covers all days'),
        to: value('<day>', 'the last day to show'),
      },
      opens: 'service',
    },
    ({ from, to }) => {
      checkDay('from', from);
      checkDay('to', to);
    },
  ),
};
