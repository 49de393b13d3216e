// What a processor owes with a method that it keeps: the network learns what a later charge is for, and what the
// network or the bank says of the method arrives, once.
import { expect } from 'chai';
import type { AuthorizationRequest, InstrumentNotification } from '../../../src/processors/processor.ts';
import { type Bench, type Incoming, NOW, type SavedMethods } from './bench.ts';
import type { Row } from './row.ts';

/** The type of payment that charges an agreement of a kind. */
const KINDS = [
  ['RECURRING', 'SUBSCRIPTION'],
  ['INSTALLMENT', 'SUBSCRIPTION'],
  ['UNSCHEDULED', 'UNSCHEDULED'],
] as const;

const savedOf = ({ tested: { saved } }: Bench): SavedMethods => {
  if (saved === undefined) throw new Error('the suite needs a method that is saved');
  return saved;
};

/** A charge of a period, which succeeded, and what its server learned by it. */
async function charged(bench: Bench, place: number, card: Awaited<ReturnType<Bench['savedCard']>>) {
  const [kind = 'RECURRING', paymentType = 'SUBSCRIPTION'] = KINDS[place] ?? [];
  const request: AuthorizationRequest = await bench.prepared({
    ...(await bench.requested(`later${place}`)),
    processorToken: card.processorToken,
    paymentType,
    offSession: true,
    agreement: { kind, ...card.names },
  });
  expect(await bench.perform(request), kind).to.have.property('kind', 'succeeded');
  return { kind, told: await savedOf(bench).laterUse(request, bench.tested.connection) };
}

/** The one thing that a notification says, which is about a saved method. */
function word(bench: Bench, { raw, headers }: Incoming): InstrumentNotification {
  const read = bench.processor.notifications(raw, headers, bench.tested.connection, NOW);
  expect(read).to.be.an('array').with.length(1);
  expect(bench.processor.reread(raw), 'as it is stored').to.deep.equal(read);
  const [one] = typeof read === 'string' ? [] : read;
  if (one === undefined || 'subject' in one) expect.fail(`a saved method is meant: ${JSON.stringify(one)}`);
  return one;
}

/** A token, or the last of its names. */
function means(told: string, processorToken: string): void {
  expect([processorToken, processorToken.slice(processorToken.lastIndexOf('/') + 1)]).to.include(told);
}

export const SAVED: readonly Row[] = [
  {
    name: 'tells the network what a later use of a saved card is for',
    needs: 'saves',
    async check(bench) {
      const card = await bench.savedCard('first');
      for (const place of KINDS.keys()) {
        const { kind, told } = await charged(bench, place, card);
        expect(told).to.have.property('kind', kind);
      }
    },
  },
  {
    name: "sends the network's names of the first payment with each later use of its card",
    needs: ['saves', 'names_first_payment'],
    async check(bench) {
      const card = await bench.savedCard('first');
      expect(card.names).to.have.all.keys('networkTransactionId', 'transactionLinkId');
      for (const place of KINDS.keys()) expect((await charged(bench, place, card)).told).to.include(card.names);
    },
  },
  {
    name: 'reports what an updater says of a saved card, once, and about no other card',
    needs: 'saves',
    async check(bench) {
      const { updated } = savedOf(bench);
      const { connection } = bench.tested;
      const ids = new Set<string>();
      for (const reference of ['one', 'other']) {
        const { processorToken } = await bench.savedCard(reference);
        const came = updated(processorToken, connection, NOW);
        const { about, notificationId } = word(bench, came);
        if (!('instrument' in about)) expect.fail(JSON.stringify(about));
        expect(about).to.deep.include({ instrument: 'updated' });
        expect(about).to.deep.nested.include({ 'card.expirationMonth': '12', 'card.expirationYear': '2049' });
        means(about.processorToken, processorToken);
        expect(word(bench, came).notificationId, 'again').to.equal(notificationId);
        ids.add(notificationId);
      }
      expect(ids.size).to.equal(2);
    },
  },
  {
    name: 'reports that the mandate of a saved method was withdrawn',
    needs: 'saves',
    async check(bench) {
      const { withdrawn } = savedOf(bench);
      const { processorToken } = await bench.savedCard('debited');
      const { about } = word(bench, withdrawn(processorToken, bench.tested.connection, NOW));
      if (!('mandate' in about)) expect.fail(JSON.stringify(about));
      expect(about.status).to.equal('inactive');
      expect(about.mandate).to.be.a('string').and.not.empty;
      means(about.processorToken, processorToken);
    },
  },
];
