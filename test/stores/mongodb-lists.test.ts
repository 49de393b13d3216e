// Lists of payments in MongoDB: the index that each is told to go along, as the server hears it.
import { expect } from 'chai';
import { payments } from '../../src/projections/models/payments.ts';
import { listPayments, type PaymentFilter } from '../../src/queries/list-payments.ts';
import type { ReadModelStore } from '../../src/stores/read-models.ts';
import { paid } from '../support/paid.ts';
import { type ServerUnderTest, startServer } from './mongodb-server.ts';

const MADE = Array.from({ length: 1_000 }, (_, n) => paid(n));

describe('Lists of payments in MongoDB', () => {
  let server: ServerUnderTest;
  let store: ReadModelStore;
  before(async () => {
    server = await startServer();
    store = await server.open();
    await store.write(payments, MADE);
  });
  after(() => server.dispose());

  const ALONG: readonly (readonly [PaymentFilter, string])[] = [
    [{}, 'k.accountId,k.date,_id'],
    [{ orderId: ['order-5', 'order-6'], status: ['PENDING'] }, 'k.accountId,k.orderId,k.date,_id'],
    [{ customerId: ['customer-7'], status: ['SETTLED'] }, 'k.accountId,k.customerId,k.date,_id'],
    [{ last4Digits: ['1003'], currencyCode: ['EUR'] }, 'k.accountId,k.last4Digits,k.date,_id'],
    [{ status: ['PENDING', 'SETTLED'], processor: ['sandbox'] }, 'k.accountId,k.status,k.date,_id'],
    [{ currencyCode: ['JPY'], minAmount: 150 }, 'k.accountId,k.currencyCode,k.date,_id'],
    [{ processor: ['another'] }, 'k.accountId,k.processor,k.date,_id'],
    [{ paymentMethodType: ['PAYMENT_CARD'], fromDate: 1_000 }, 'k.accountId,k.date,_id'],
  ];
  for (const [filter, index] of ALONG) {
    it(`go along ${index} for ${JSON.stringify(filter)}`, async () => {
      await server.loopback.counts({ reset: true });
      const { rows } = await listPayments(store)('acc_1', filter, 100);
      expect(rows.length).to.be.greaterThan(0);
      const finds = (await server.loopback.counts()).filter(
        ({ command, collection }) => command === 'find' && collection.startsWith('payments'),
      );
      expect(new Set(finds.map(({ hint }) => hint))).to.deep.equal(new Set([index]));
    });
  }

  it('ask once for fifty values of one filter, and twice where there is a second filter', async () => {
    const finds = async (filter: PaymentFilter): Promise<number> => {
      await server.loopback.counts({ reset: true });
      await listPayments(store)('acc_1', filter, 20);
      const counts = await server.loopback.counts();
      return counts
        .flatMap(({ command, times }) => (command === 'find' ? times : []))
        .reduce((sum, times) => sum + times, 0);
    };
    const orderId = Array.from({ length: 50 }, (_, n) => `order-${n}`);
    expect(await finds({ orderId })).to.equal(1);
    expect(await finds({ orderId, status: ['SETTLED', 'PENDING'], minAmount: 150 })).to.equal(2);
  });
});
