// Customers: sums that follow returns and disputes, over all payments of a customer.
import { expect } from 'chai';
import type { PaymentEvent } from '../../../src/domain/payment/events.ts';
import { openProjections } from '../../../src/projections/engine/engine.ts';
import { customers } from '../../../src/projections/models/customers.ts';
import { customersById } from '../../../src/queries/read-customers.ts';
import { memoryReadModels } from '../../../src/stores/memory/read-models.ts';
import {
  AT,
  authorizationRequested,
  cameBack,
  captureRequested,
  created,
  id,
  refundRequested,
  wentThrough,
} from '../../domain/payment/story.ts';
import { calmWorld } from '../../support/calm-world.ts';
import { DAY_MS, DAY_ONE, PaymentLog } from './payment-log.ts';

/** A captured payment of 1,000. */
const paidBy = (customerId: string | undefined): readonly PaymentEvent[] => [
  created(customerId === undefined ? {} : { customerId }),
  authorizationRequested,
  wentThrough('a', 'authorization', 1_000),
  captureRequested('c', 1_000),
  wentThrough('c', 'capture', 1_000),
];
const evidence = { source: 'notification' as const };
const disputeOpened: PaymentEvent = {
  type: 'DisputeOpened',
  data: {
    round: 1,
    type: 'DISPUTE',
    disputeId: 'dsp_1',
    processorDisputeId: 'dp_1',
    amount: 300,
    currencyCode: 'EUR',
    connectionId: 'sandbox',
    network: 'VISA',
    openedAt: AT,
    evidence,
  },
};

describe('customers', () => {
  const read = async (log: PaymentLog, ...customerIds: readonly string[]) => {
    const { readModels } = await openProjections({
      events: log.events,
      readModels: memoryReadModels(),
      world: calmWorld,
      report: (fault) => expect.fail(String(fault)),
      projections: [customers],
    });
    return customersById(readModels)('acc_1', customerIds);
  };

  it('have sums of all their payments, without what was returned or regained', async () => {
    const log = new PaymentLog();
    await log.add('pay_1', paidBy('ada'));
    await log.add('pay_2', paidBy('ada'), DAY_ONE + DAY_MS);
    await log.add('pay_3', paidBy('bob'));
    await log.add('pay_4', paidBy(undefined));
    await log.add('pay_1', [refundRequested('r', 200, id('c')), wentThrough('r', 'refund', 200)]);
    await log.add('pay_2', [refundRequested('r', 500, id('c')), wentThrough('r', 'refund', 500)]);
    await log.add('pay_2', [cameBack('r', 'refund', 500), disputeOpened]);
    await log.add('pay_3', [cameBack('c', 'capture', 1_000)]);
    const found = await read(log, 'ada', 'bob', 'nobody');
    expect([...found.keys()].sort()).to.deep.equal(['ada', 'bob']);
    expect(found.get('ada')).to.deep.equal({
      accountId: 'acc_1',
      payments: 2,
      firstSeenAt: DAY_ONE,
      lastSeenAt: DAY_ONE + DAY_MS,
      totals: { EUR: { captured: 2_000, refunded: 200, lost: 0 } },
      disputes: 1,
      disputedPayments: ['pay_2'],
    });
    expect(found.get('bob')?.totals).to.deep.equal({ EUR: { captured: 0, refunded: 0, lost: 0 } });
    await log.add('pay_2', [{ type: 'DisputeLost', data: { disputeId: 'dsp_1', evidence } }]);
    expect((await read(log, 'ada')).get('ada')?.totals['EUR']?.lost).to.equal(300);
    await log.add('pay_2', [{ type: 'DisputeWon', data: { disputeId: 'dsp_1', evidence } }]);
    expect((await read(log, 'ada')).get('ada')?.totals['EUR']?.lost).to.equal(0);
  });

  it('remember the disputed payments of the newest fifty disputes', async () => {
    const log = new PaymentLog();
    for (let at = 1; at <= 52; at += 1) await log.add(`pay_${at}`, [...paidBy('ada'), disputeOpened]);
    const ada = (await read(log, 'ada')).get('ada');
    expect([ada?.disputes, ada?.disputedPayments.length, ada?.disputedPayments[0]]).to.deep.equal([52, 50, 'pay_52']);
  });
});
