// What the reader of notifications owes: only signed bodies, of now, whole, and as the processor means them.
import { expect } from 'chai';
import type { Connection, PaymentNotification, ProcessorNotification } from '../../../src/processors/processor.ts';
import { type Bench, type Decided, HOUR_MS, type Incoming, NOW } from './bench.ts';
import type { Row } from './row.ts';

type Read = readonly ProcessorNotification[] | 'bad_signature' | 'unparsable';

/** Between the processor's own time and the receipt, ms. */
const ON_ITS_WAY_MS = 2_000;
const read = (bench: Bench, { raw, headers }: Incoming, now = NOW, connection = bench.tested.connection): Read =>
  bench.processor.notifications(raw, headers, connection, now);

/** An authorization that was decided, in each of both ways. */
async function decided(bench: Bench, reference: string, card: 'approved' | 'declined' = 'approved'): Promise<Decided> {
  const request = await bench.authorization(reference, { card });
  const outcome = await bench.perform(request);
  const isKnown = outcome.kind === 'succeeded' || outcome.kind === 'declined';
  const { processorTransactionId = request.processorTransactionId ?? '' } = isKnown ? outcome : {};
  const kind = card === 'approved' ? 'succeeded' : 'declined';
  return { reference, processorTransactionId, outcome: kind, amount: 1_000, at: NOW - ON_ITS_WAY_MS };
}

const signed = ({ tested }: Bench, items: readonly (Decided | 'unreadable')[], by?: Connection): Incoming =>
  tested.notifying.body(items, by ?? tested.connection, NOW);

/** The notification says what was decided, or that a look-up should say it. */
function means(one: ProcessorNotification | undefined, item: Decided): void {
  const { reference, processorTransactionId, outcome: kind, amount, at } = item;
  const { subject, about, occurredAt }: Partial<PaymentNotification> = one !== undefined && 'subject' in one ? one : {};
  expect(subject).to.deep.equal(
    subject !== undefined && 'reference' in subject ? { reference } : { processorTransactionId },
  );
  if (occurredAt !== undefined) expect(occurredAt).to.equal(at);
  if (about !== undefined && 'look' in about) return;
  expect(about).to.have.property('operation', 'authorization');
  expect(about).to.have.nested.property('outcome.kind', kind);
  if (kind === 'succeeded')
    expect(about).to.deep.nested.include({ 'outcome.amount': amount, 'outcome.currencyCode': 'EUR' });
  else expect(about).to.have.nested.property('outcome.code').that.is.a('string').and.not.empty;
}

const only = (items: Read): ProcessorNotification | undefined => {
  expect(items).to.be.an('array').with.length(1);
  return typeof items === 'string' ? undefined : items[0];
};

export const NOTIFICATIONS: readonly Row[] = [
  {
    name: 'reads a notification of a success as what happened, or as something to look at',
    async check(bench) {
      const item = await decided(bench, 'payment1');
      means(only(read(bench, signed(bench, [item]))), item);
    },
  },
  {
    name: 'reads a notification of a refusal as a refusal, or as something to look at',
    async check(bench) {
      const item = await decided(bench, 'payment1', 'declined');
      means(only(read(bench, signed(bench, [item]))), item);
    },
  },
  {
    name: 'takes a signature over the very bytes, and no other',
    async check(bench) {
      const came = signed(bench, [await decided(bench, 'payment1')]);
      const forged = bench.tested.notifying.forged(came);
      expect(forged.raw, 'the forgery changes the text').to.not.equal(came.raw);
      expect(read(bench, forged)).to.equal('bad_signature');
      expect(read(bench, { ...came, headers: {} })).to.equal('bad_signature');
      expect(read(bench, { ...came, raw: `${came.raw} ` })).to.equal('bad_signature');
    },
  },
  {
    name: 'takes no notification of an hour ago, and none of the future',
    async check(bench) {
      const came = signed(bench, [await decided(bench, 'payment1')]);
      expect(read(bench, came, NOW + HOUR_MS), 'an hour ago').to.equal('bad_signature');
      expect(read(bench, came, NOW - HOUR_MS), 'of the future').to.equal('bad_signature');
    },
  },
  {
    name: 'takes no notification that another connection could have signed',
    needs: 'secrets',
    async check(bench) {
      const { otherConnection: other } = bench.tested;
      if (other === undefined) throw new Error('the suite needs a second connection');
      const came = signed(bench, [await decided(bench, 'payment1')], other);
      expect(read(bench, came)).to.equal('bad_signature');
      expect(read(bench, came, NOW, other))
        .to.be.an('array')
        .with.length(1);
    },
  },
  {
    name: 'takes no notification of the other mode',
    needs: 'modes',
    async check(bench) {
      const { notifying, connection } = bench.tested;
      const came = notifying.ofOtherMode?.(await decided(bench, 'payment1'), connection, NOW);
      if (came === undefined) throw new Error('the suite needs a notification of the other mode');
      expect(read(bench, came)).to.equal('bad_signature');
    },
  },
  {
    name: 'reads a stored notification like an incoming one, and calls anything else undefined',
    async check(bench) {
      const came = signed(bench, [await decided(bench, 'payment1')]);
      expect(bench.processor.reread(came.raw)).to.deep.equal(read(bench, came));
      for (const raw of ['', '[', '{}', 'null', '"text"']) expect(bench.processor.reread(raw), raw).to.equal(undefined);
    },
  },
  {
    name: 'gives a notification the same id each time it comes, and another one to each other',
    async check(bench) {
      const [one, other] = [await decided(bench, 'payment1'), await decided(bench, 'payment2')];
      const idOf = (item: Decided) => only(read(bench, signed(bench, [item])))?.notificationId;
      expect(idOf(one)).to.be.a('string').and.not.empty;
      expect(idOf(one)).to.equal(idOf(one));
      expect(idOf(one)).to.not.equal(idOf(other));
    },
  },
  {
    name: 'calls a signed body unparsable that it cannot read',
    async check(bench) {
      const came = signed(bench, ['unreadable']);
      expect(read(bench, came)).to.equal('unparsable');
      expect(bench.processor.reread(came.raw)).to.equal(undefined);
    },
  },
  {
    name: 'reads every item of a body, in their order, each with an id of its own',
    needs: 'batches',
    async check(bench) {
      const items = [
        await decided(bench, 'payment1'),
        await decided(bench, 'payment2', 'declined'),
        await decided(bench, 'payment3'),
      ];
      const came = signed(bench, items);
      const told = read(bench, came);
      expect(told).to.be.an('array').with.length(items.length);
      if (typeof told === 'string') return;
      for (const [place, item] of items.entries()) means(told[place], item);
      expect(new Set(told.map(({ notificationId }) => notificationId)).size).to.equal(items.length);
      expect(bench.processor.reread(came.raw)).to.deep.equal(told);
    },
  },
  {
    name: 'reads nothing of a body with an item that it cannot read',
    needs: 'batches',
    async check(bench) {
      const came = signed(bench, [await decided(bench, 'payment1'), 'unreadable', await decided(bench, 'payment2')]);
      expect(read(bench, came)).to.equal('unparsable');
      expect(bench.processor.reread(came.raw)).to.equal(undefined);
    },
  },
];
