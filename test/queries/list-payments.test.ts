// Lists of payments: every filter finds its payments, along an index that serves the page, whatever the other filters
// are.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { isKnown } from '../../src/domain/payment/queries.ts';
import { cardIn } from '../../src/domain/payment-instrument/recorded-data.ts';
import { type PaymentKey, payments } from '../../src/projections/models/payments.ts';
import {
  listPayments,
  type PaymentCursor,
  type PaymentFilter,
  totalPayments,
} from '../../src/queries/list-payments.ts';
import { indexFor } from '../../src/stores/query-index.ts';
import type { Query, ReadModels, Stored } from '../../src/stores/read-models.ts';
import { openSqliteReadModels, type SqliteReadModels } from '../../src/stores/sqlite/read-models.ts';
import { calmWorld } from '../support/calm-world.ts';
import { paid } from '../support/paid.ts';

const MADE = Array.from({ length: 4_000 }, (_, n) => paid(n));
const FILTERS: readonly PaymentFilter[] = [
  {},
  { status: ['PENDING'] },
  { status: ['DECLINED', 'PENDING', 'DECLINED'] },
  { currencyCode: ['JPY'] },
  { currencyCode: ['JPY', 'USD'] },
  { orderId: ['order-5'] },
  { orderId: ['order-5', 'order-900', 'order-none'] },
  { customerId: ['customer-7', 'customer-8'] },
  { processor: ['another'] },
  { processor: ['none'] },
  { last4Digits: ['1003'] },
  { paymentMethodType: ['PAYMENT_CARD'] },
  { derivedStatus: ['DISPUTED'] },
  { derivedStatus: ['REFUND_NOT_KNOWN', 'DISPUTED'], fromDate: 100_000, toDate: 1_500_000 },
  { derivedStatus: ['REFUND_NOT_KNOWN'] },
  { sort: 'oldest' },
  { sort: 'oldest', currencyCode: ['JPY', 'USD'], processor: ['another'] },
  { sort: 'oldest', status: ['SETTLED'], fromDate: 100_000, toDate: 1_500_000 },
  { sort: 'largest', currencyCode: ['EUR'] },
  { sort: 'smallest', currencyCode: ['EUR'], minAmount: 120, maxAmount: 150 },
  { sort: 'largest', currencyCode: ['EUR'], status: ['SETTLED', 'AUTHORIZED'], fromDate: 100_000 },
  { sort: 'smallest', currencyCode: ['USD'], customerId: ['customer-7', 'customer-8'] },
  { sort: 'largest', currencyCode: ['EUR'], fromDate: 500_000, toDate: 600_000 },
  { sort: 'largest', currencyCode: ['EUR'], derivedStatus: ['DISPUTED'] },
  { derivedStatus: ['DISPUTED'], currencyCode: ['EUR'], minAmount: 120 },
  { declineCode: ['EXPIRED_CARD'] },
  { declineCode: ['EXPIRED_CARD', 'GENERIC_DECLINE'], status: ['DECLINED'], toDate: 600_000 },
  { orderId: ['order-5'], declineCode: ['GENERIC_DECLINE'] },
  { fromDate: 500_000, toDate: 600_000 },
  { currencyCode: ['EUR'], minAmount: 120, maxAmount: 121 },
  { orderId: ['order-5'], status: ['SETTLED'] },
  { customerId: ['customer-7'], status: ['SETTLED'], currencyCode: ['EUR'] },
  { last4Digits: ['1003'], processor: ['sandbox'], status: ['AUTHORIZED'], toDate: 1_500_000 },
  { status: ['CANCELLED', 'PENDING'], currencyCode: ['USD'], minAmount: 130, fromDate: 100_000 },
  { status: ['SETTLED'], processor: ['another'], paymentMethodType: ['PAYMENT_CARD'] },
];

/** The definition of a list, repeated without an index. */
function expected(filter: PaymentFilter): readonly string[] {
  const {
    fromDate = 0,
    toDate = Number.MAX_SAFE_INTEGER,
    minAmount = 0,
    maxAmount = Number.MAX_SAFE_INTEGER,
    sort,
    ...lists
  } = filter;
  const known = MADE.flatMap(({ id, doc }) => (isKnown(doc) ? [{ id, doc }] : []));
  const matching = known.filter(({ doc }) => {
    const { date, amount, status, currencyCode, orderId, customerId, processor, paymentMethod, disputes, attempts } =
      doc;
    const last4Digits = cardIn(paymentMethod.paymentMethodData)?.last4Digits;
    const of = {
      status,
      currencyCode,
      orderId,
      customerId,
      processor,
      last4Digits,
      paymentMethodType: paymentMethod.paymentMethodType,
      derivedStatus: [disputes.length > 0 && 'DISPUTED', attempts.length > 1 && 'REFUND_NOT_KNOWN'],
      declineCode: status === 'DECLINED' ? doc.statusReason.code : undefined,
    };
    const isListed = Object.entries(lists).every(([name, values]) =>
      values.some((value: string) => [Object.entries(of).find(([key]) => key === name)?.[1]].flat().includes(value)),
    );
    return isListed && date >= fromDate && date <= toDate && amount >= minAmount && amount <= maxAmount;
  });
  const isByAmount = sort === 'largest' || sort === 'smallest';
  const placeOf = ({ doc }: (typeof matching)[number]): number => (isByAmount ? doc.amount : doc.date);
  const descending = matching.sort((a, b) => placeOf(b) - placeOf(a) || (a.id < b.id ? 1 : -1)).map(({ id }) => id);
  return sort === 'oldest' || sort === 'smallest' ? descending.reverse() : descending;
}

describe('A list of payments', () => {
  const directory = mkdtempSync(join(tmpdir(), 'list-payments-'));
  let store: SqliteReadModels;
  let asked: Query<string>[];
  let read: number;
  /** The store, with a record of its questions. */
  let watched: ReadModels;
  before(async () => {
    store = await openSqliteReadModels({
      file: join(directory, 'read-models.db'),
      world: calmWorld,
      report: () => undefined,
    });
    await store.write(payments, MADE);
    watched = {
      get: (of, ids) => store.get(of, ids),
      find: async (of, query) => {
        const rows = await store.find(of, query);
        asked.push(query);
        read += rows.length;
        return rows;
      },
      place: (of, query, nth) => {
        asked.push({ ...query, limit: 1 });
        return store.place(of, query, nth);
      },
      write: (of, rows) => store.write(of, rows),
      remove: (of, rows) => store.remove(of, rows),
      count: (of) => store.count(of),
      close: () => store.close(),
    };
  });
  beforeEach(() => {
    asked = [];
    read = 0;
  });
  after(async () => {
    await store.close();
    rmSync(directory, { recursive: true });
  });

  async function pages(filter: PaymentFilter, limit: number): Promise<readonly (readonly Stored<unknown>[])[]> {
    const found: (readonly Stored<unknown>[])[] = [];
    let after: PaymentCursor | undefined;
    do {
      const { rows, next } = await listPayments(watched)('acc_1', filter, limit, after);
      found.push(rows);
      after = next;
    } while (after !== undefined && found.length <= MADE.length);
    return found;
  }

  for (const filter of FILTERS) {
    it(`holds every payment that matches, each once, in its order: ${JSON.stringify(filter)}`, async () => {
      for (const limit of [7, 100]) {
        const ids = (await pages(filter, limit)).flat().map(({ id }) => id);
        expect(ids).to.deep.equal(expected(filter));
      }
    });

    it(`asks once, and for the place where a second filter ends it, along one index: ${JSON.stringify(filter)}`, async () => {
      await listPayments(watched)('acc_1', filter, 100);
      // by amount, one question more: whether there are few
      expect(asked.length).to.be.at.most(filter.sort === 'largest' || filter.sort === 'smallest' ? 3 : 2);
      for (const query of asked) {
        const plan = (await store.explain(payments, query)).join('; ');
        expect(plan)
          .to.match(/USING INDEX/)
          .and.not.match(/TEMP B-TREE/);
      }
      const along = asked.flatMap((query) => indexFor(payments, query) ?? []);
      // nothing is left to be sifted
      for (const name of Object.keys(asked[0]?.where ?? {})) expect(along).to.include(name);
    });
  }

  for (const filter of FILTERS)
    it(`is counted and added up in each currency: ${JSON.stringify(filter)}`, async () => {
      const ids = new Set(expected(filter));
      const sums: { [currency: string]: { count: number; amount: number } } = {};
      for (const { id, doc } of MADE) {
        if (!ids.has(id) || !isKnown(doc)) continue;
        const { count, amount } = sums[doc.currencyCode] ?? { count: 0, amount: 0 };
        sums[doc.currencyCode] = { count: count + 1, amount: amount + doc.amount };
      }
      const { count, isMore, currencies } = await totalPayments(listPayments(watched))('acc_1', filter);
      expect([count, isMore]).to.deep.equal([ids.size, false]);
      expect(Object.fromEntries(currencies.map(({ currencyCode, ...sum }) => [currencyCode, sum]))).to.deep.equal(sums);
    });

  it('is not counted to its end if it is long, and has exact sums beyond 2^53', async () => {
    const one = MADE.flatMap(({ id, doc }) =>
      isKnown(doc) ? [{ id, revision: 0, doc: { ...doc, amount: 2 ** 52 } }] : [],
    );
    const endless = async () => ({ rows: one.slice(0, 3), next: { date: 1, id: 'pay_1' } });
    const { count, isMore, currencies } = await totalPayments(endless)('acc_1', {});
    expect([count, isMore]).to.deep.equal([30, true]);
    for (const { amount, count: counted } of currencies)
      expect(amount).to.equal((2n ** 52n * BigInt(counted)).toString());
  });

  it('costs the same at any size, where nearly nothing matches: a page ends early, and the next goes on', async () => {
    const rare: PaymentFilter = { currencyCode: ['EUR'], processor: ['none'] };
    const { rows, next } = await listPayments(watched)('acc_1', rare, 20);
    expect([rows, next === undefined]).to.deep.equal([[], false]);
    expect(read).to.equal(0); // the store looked at them, and handed none over
    expect((await pages(rare, 20)).length).to.be.within(2, 5);
  });

  it('reads one page, and one payment more, where an index serves all of it', async () => {
    await listPayments(watched)('acc_1', { orderId: ['order-5'] }, 2);
    await listPayments(watched)('acc_1', { status: ['SETTLED'] }, 20);
    expect([asked.length, read]).to.deep.equal([2, 3 + 21]);
  });

  it('goes along the most selective filter', async () => {
    const along = async (filter: PaymentFilter): Promise<readonly string[]> => {
      asked = [];
      await listPayments(watched)('acc_1', filter, 20);
      return Object.keys(asked[0]?.where ?? {});
    };
    const all = { status: ['SETTLED'], currencyCode: ['EUR'], processor: ['sandbox'] };
    expect(await along({ ...all, orderId: ['order-5'], customerId: ['customer-7'] })).to.deep.equal([
      'accountId',
      'orderId',
    ]);
    expect(await along({ ...all, customerId: ['customer-7'], last4Digits: ['1003'] })).to.deep.equal([
      'accountId',
      'customerId',
    ]);
    expect(await along({ ...all, last4Digits: ['1003'] })).to.deep.equal(['accountId', 'last4Digits']);
    expect(await along(all)).to.deep.equal(['accountId', 'status']);
  });
});

describe('The index of a query that two of them serve', () => {
  it('is the first declared one: that of an order, not that of a status', () => {
    const where = { accountId: ['acc_1'], status: ['SETTLED'], orderId: ['order-5'] };
    const query: Query<PaymentKey> = { where, order: { by: 'date', descending: true }, limit: 20 };
    expect(indexFor(payments, query)).to.deep.equal(['accountId', 'orderId', 'date']);
  });
});
