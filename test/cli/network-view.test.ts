// What the card networks saw, counted from the sandbox's ledger alone: limits, and tries that a network fines.
import { expect } from 'chai';
import { seenByNetworks } from '../../src/cli/sandbox/network-view.ts';
import { seenResult, seenTable } from '../../src/cli/sandbox/seen-by-networks.ts';
import type { LedgerLine } from '../../src/processors/sandbox/sandbox-interface.ts';
import { memoryReadModels } from '../../src/stores/memory/read-models.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

type Seen = Partial<NonNullable<LedgerLine['network']>>;

/** A charge without the customer, the `place`th of the ledger. */
const tried = (
  place: number,
  at: number,
  outcome: LedgerLine['outcome'],
  network: Seen = {},
  amount = 100,
): LedgerLine => ({
  reference: `r${place}`,
  paymentId: `pay_${place}`,
  operation: 'authorization',
  amount,
  currencyCode: 'EUR',
  network: { processorToken: 'tok_1', card: 'a-card', name: 'VISA', ...network },
  outcome,
  at,
});
const declines = (count: number, everyMs: number, network?: Seen): LedgerLine[] =>
  Array.from({ length: count }, (_, place) => tried(place, place * everyMs, 'declined', network));

const seen = (lines: readonly LedgerLine[], accountId?: string) =>
  seenByNetworks(
    { sandbox: { ledgerOf: async () => ({ lines: [...lines] }) }, readModels: memoryReadModels() },
    accountId,
  );

describe('what the networks saw', () => {
  it('is told for each card: tries, declines, and the names that the tries carried', async () => {
    const link = { networkTransactionId: 'n', transactionLinkId: 't' };
    const cards = await seen([
      tried(0, 0, 'succeeded', { name: 'MASTERCARD', ...link }),
      tried(1, 1, 'declined', { name: 'MASTERCARD', networkTransactionId: 'n' }),
      tried(2, 2, 'succeeded', { processorToken: 'tok_2' }),
      { ...tried(3, 3, 'succeeded'), network: undefined } as unknown as LedgerLine,
    ]);
    expect(
      cards.map(({ token, tries, declined, named, linked }) => [token, tries, declined, named, linked]),
    ).to.deep.equal([
      ['tok_1', 2, 1, 2, 1],
      ['tok_2', 1, 0, 0, 0],
    ]);
  });

  it('is within the limit at the 20th declined try of Visa in 30 days, and beyond it at the next', async () => {
    const [within] = await seen(declines(20, DAY_MS));
    expect(within?.limits).to.deep.equal([{ most: 20, withinMs: 30 * DAY_MS, counted: 20 }]);
    expect(within?.fined).to.deep.equal([]);
    const [beyond] = await seen(declines(22, DAY_MS));
    expect(beyond?.fined.map(({ reference, because }) => [reference, because])).to.deep.equal([
      ['r20', 'NETWORK_LIMIT'],
      ['r21', 'NETWORK_LIMIT'],
    ]);
    const [spread] = await seen(declines(40, 2 * DAY_MS));
    expect(spread?.limits).to.have.nested.property('[0].counted', 15);
    expect(spread?.fined).to.deep.equal([]);
  });

  it('counts for Visa the tries of one amount, and for Mastercard all of a day and of a month', async () => {
    const amounts = Array.from({ length: 40 }, (_, place) => tried(place, place, 'declined', {}, place % 2));
    expect((await seen(amounts))[0]?.limits).to.have.nested.property('[0].counted', 20);
    const [mastercard] = await seen(declines(11, HOUR_MS, { name: 'MASTERCARD' }));
    expect(mastercard?.limits.map(({ most, counted }) => [most, counted])).to.deep.equal([
      [10, 11],
      [35, 11],
    ]);
    expect(mastercard?.fined).to.have.length(1);
  });

  it('has each try fined that follows "never again", whatever becomes of it', async () => {
    const never = { name: 'MASTERCARD', code: 'GENERIC_DECLINE', networkAdviceCode: '03' };
    const [card] = await seen([
      tried(0, 0, 'declined', never),
      tried(1, DAY_MS, 'succeeded', { name: 'MASTERCARD' }),
      tried(2, 2 * DAY_MS, 'declined', never),
    ]);
    expect(card?.fined.map(({ reference, because }) => [reference, because])).to.deep.equal([
      ['r1', 'NETWORK_FORBIDS'],
      ['r2', 'NETWORK_FORBIDS'],
    ]);
  });

  it('is printed with the fines, for people and for programs', async () => {
    const { text, json } = seenResult(await seen(declines(21, DAY_MS)));
    expect(text).to.include('21 of 20 in 30 d').and.to.include('The networks fine 1 of the tries.');
    expect(json).to.have.property('fines', 1);
    expect(json).to.have.nested.property('data[0].fined[0].at', '1970-01-21T00:00:00.000Z');
    expect(seenResult([]).text).to.equal('No charges without the customer.');
    const cards = await seen(declines(21, DAY_MS, { name: 'MASTERCARD', card: 'retry-after-72-hours' }));
    for (const line of seenTable(cards, 80).split('\n')) expect(line.length).to.be.at.most(80);
  });

  it('of an account leaves out what is of no payment of it', async () => {
    expect(await seen(declines(1, 0), 'acc_1')).to.deep.equal([]);
  });
});
