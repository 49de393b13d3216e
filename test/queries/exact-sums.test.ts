// Sums beyond 2^53, where doubles leave integers out: each place that adds amounts up has every digit (contract §1).
import { expect } from 'chai';
import { conservationOf } from '../../src/audit/conservation.ts';
import { plus, type Sum } from '../../src/domain/money.ts';
import type { PaymentEvent } from '../../src/domain/payment/events.ts';
import { openProjections, type Projections } from '../../src/projections/engine/engine.ts';
import { customers } from '../../src/projections/models/customers.ts';
import { dailyTotals } from '../../src/projections/models/daily-totals.ts';
import { payments } from '../../src/projections/models/payments.ts';
import { dailyBooks } from '../../src/queries/books/daily-books.ts';
import { compareLedger } from '../../src/queries/ledger/compare-ledger.ts';
import type { ProcessorLine } from '../../src/queries/ledger/payment-ledger.ts';
import { readOverview } from '../../src/queries/overview.ts';
import { totalsOf } from '../../src/queries/pages.ts';
import { customersById } from '../../src/queries/read-customers.ts';
import { memoryReadModels } from '../../src/stores/memory/read-models.ts';
import { authorizationRequested, captureRequested, created, wentThrough } from '../domain/payment/story.ts';
import { DAY_ONE, PaymentLog } from '../projections/models/payment-log.ts';
import { calmWorld } from '../support/calm-world.ts';

const MOST = Number.MAX_SAFE_INTEGER;
const AMOUNTS = [MOST, 1, MOST, 3, MOST, 5, 7];
/** 3 × (2^53 - 1) + 16. */
const SUM = '27021597764222989';

/** A payment whose references at the processor are its own. */
function captured(amount: number, place: number): readonly PaymentEvent[] {
  const asked = captureRequested('c', amount);
  if (asked.type !== 'CaptureRequested') throw new Error(asked.type);
  return [
    created({ amount, customerId: 'ada' }),
    { ...authorizationRequested, data: { ...authorizationRequested.data, amount, reference: `a-${place}` } },
    wentThrough('a', 'authorization', amount),
    { ...asked, data: { ...asked.data, reference: `c-${place}` } },
    wentThrough('c', 'capture', amount),
  ];
}
const line = (reference: string, operation: string, amount: number): ProcessorLine => ({
  ...{ reference, operation, amount, currencyCode: 'EUR' },
  ...{ paymentId: 'as its reference says', outcome: 'succeeded' },
});

describe('a sum beyond 2^53', () => {
  let log: PaymentLog;
  let projections: Projections;
  beforeEach(async () => {
    log = new PaymentLog();
    for (const [place, amount] of AMOUNTS.entries()) await log.add(`pay_${place}`, captured(amount, place));
    projections = await openProjections({
      events: log.events,
      readModels: memoryReadModels(),
      world: calmWorld,
      report: (fault) => expect.fail(String(fault)),
      projections: [payments, dailyTotals, customers],
    });
  });
  const still = new AbortController().signal;

  it('is exact in the conservation of money', async () => {
    const { currencies } = await conservationOf(log.events, { to: await log.events.head() }, still);
    expect(currencies.map((one) => [one.authorized, one.captured])).to.deep.equal([[SUM, SUM]]);
  });

  it('is exact on both sides of the books', async () => {
    const { readModels } = projections;
    const parts = {
      events: log.events,
      readModels,
      positions: () => projections.positions(),
      parked: async () => [],
    };
    const { books, days, differences } = await dailyBooks(parts, still);
    expect(differences).to.deep.equal([]);
    expect(days.map((day) => day.captured.amount)).to.deep.equal([SUM]);
    expect(books.map(({ net, now }) => [net.captured, now.captured, now.authorized])).to.deep.equal([[SUM, SUM, SUM]]);
  });

  it('is exact in the figures, and of a customer', async () => {
    const { sums, points } = await readOverview(projections.readModels)('acc_1', DAY_ONE, DAY_ONE, DAY_ONE);
    expect(sums.captured).to.deep.equal({ count: AMOUNTS.length, amount: SUM });
    expect(points.map((point) => point.authorized.amount)).to.deep.equal([SUM]);
    const known = await customersById(projections.readModels)('acc_1', ['ada']);
    expect(known.get('ada')?.totals['EUR']).to.deep.equal({ captured: SUM, refunded: 0, lost: 0 });
  });

  it('is exact in the totals of a list', async () => {
    const rows = AMOUNTS.map((amount) => ({ currencyCode: 'EUR', amount }));
    const { currencies } = await totalsOf(async () => ({ rows }));
    expect(currencies).to.deep.equal([{ currencyCode: 'EUR', count: AMOUNTS.length, amount: SUM }]);
  });

  it("is exact over the processor's ledger", async () => {
    const lines = AMOUNTS.flatMap((amount, place) => [
      line(`a-${place}`, 'authorization', amount),
      line(`c-${place}`, 'capture', amount),
    ]);
    const { totals } = await compareLedger({
      ledger: {
        name: 'sandbox',
        ledgerOf: async () => ({ lines: [] }),
        linesOf: async () => lines,
      },
      readModels: projections.readModels,
      world: calmWorld,
      current: () => expect.fail('no difference is looked at again'),
      found: (difference) => expect.fail(JSON.stringify(difference)),
    });
    expect([...totals]).to.deep.equal([['EUR', { authorized: SUM, captured: SUM, refunded: 0 }]]);
  });

  it('is a number again where it is no longer beyond, on either side of zero', () => {
    const added = (...all: readonly (readonly [Sum, 1 | -1])[]): Sum =>
      all.reduce<Sum>((sum, [amount, sign]) => plus(sum, amount, sign), 0);
    expect(added([MOST, 1], [1, 1])).to.equal('9007199254740992');
    expect(added([MOST, 1], [1, 1], [1, -1])).to.equal(MOST);
    expect(added([MOST, -1], [1, -1])).to.equal('-9007199254740992');
    expect(added(['9007199254740993', 1], ['9007199254740993', -1])).to.equal(0);
  });
});
