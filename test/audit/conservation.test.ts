// Money that is not conserved is found in the log, and an over-refund that an operator accepted is counted apart.
import { expect } from 'chai';
import { conservationOf } from '../../src/audit/conservation.ts';
import { accept } from '../../src/domain/decider.ts';
import type { PaymentEvent } from '../../src/domain/payment/events.ts';
import { payment } from '../../src/domain/payment/state.ts';
import { operatorContext } from '../../src/journal/contexts.ts';
import { Streams } from '../../src/journal/streams.ts';
import { transact } from '../../src/journal/transact.ts';
import { type MemoryEventStore, openMemoryEventStore } from '../../src/stores/memory/event-store.ts';
import {
  authorized,
  captureRequested,
  heldTooLate,
  partlySettled,
  refundRequested,
  settled,
  wentThrough,
} from '../domain/payment/story.ts';
import { calmWorld } from '../support/calm-world.ts';

describe('the conservation of money in a log', () => {
  let events: MemoryEventStore;
  beforeEach(() => {
    events = openMemoryEventStore();
  });
  const record = async (id: string, story: readonly PaymentEvent[]): Promise<void> => {
    const streams = new Streams(payment, { events, world: calmWorld, report: () => undefined }, async () => undefined);
    await transact(streams, id, operatorContext(calmWorld, 'acc_1'), () => accept(...story));
  };
  const found = async () => conservationOf(events, { to: await events.head() }, new AbortController().signal);
  const refunded = (name: string, amount: number) => [
    refundRequested(name, amount, 'c'),
    wentThrough(name, 'refund', amount),
  ];

  it('holds for payments that are authorized, captured and refunded in parts', async () => {
    await record('pay_1', settled);
    await record('pay_2', [...partlySettled, ...refunded('r', 100)]);
    await record('pay_3', authorized);
    expect(await found()).to.deep.equal({
      currencies: [
        { currencyCode: 'EUR', payments: 3, authorized: 3_000, captured: 1_400, refunded: 100, overRefundAccepted: 0 },
      ],
      held: [],
      violations: [],
      violated: 0,
      unreadable: [],
      unread: 0,
    });
  });

  it('names a payment with more captured than authorized, though the sums of its currency are fine', async () => {
    await record('pay_1', [...settled, captureRequested('d', 500), wentThrough('d', 'capture', 500)]);
    await record('pay_2', authorized);
    const { violated, violations, currencies } = await found();
    expect([violated, currencies[0]?.authorized, currencies[0]?.captured]).to.deep.equal([1, 2_000, 1_500]);
    expect(violations).to.deep.equal([
      { stream: 'payment-pay_1', currencyCode: 'EUR', authorized: 1_000, captured: 1_500, refunded: 0 },
    ]);
  });

  it('names a payment with more refunded than captured, until an operator accepts it', async () => {
    const twice = [...settled, ...refunded('r', 700), ...refunded('s', 700)];
    await record('pay_1', twice);
    expect((await found()).violations).to.deep.equal([
      { stream: 'payment-pay_1', currencyCode: 'EUR', authorized: 1_000, captured: 1_000, refunded: 1_400 },
    ]);
    const evidence = { source: 'operator' as const, detail: 'the shop asked the customer for it' };
    await record('pay_1', [{ type: 'OverRefundAccepted', data: { amount: 400, currencyCode: 'EUR', evidence } }]);
    const after = await found();
    expect(after.violated).to.equal(0);
    expect(after.currencies[0]).to.include({ refunded: 1_400, overRefundAccepted: 400 });
  });

  it('has the money that came too late and cannot be refunded in a row of its own', async () => {
    await record('pay_1', settled);
    await record('pay_2', heldTooLate);
    const { held, violated, currencies } = await found();
    expect(held).to.deep.equal([{ currencyCode: 'EUR', payments: 1, amount: 1_000 }]);
    expect([violated, currencies[0]?.captured]).to.deep.equal([0, 1_000]);
  });

  it('counts a payment up to an event that cannot be read, and says so', async () => {
    await record('pay_1', settled);
    await events.append('payment-pay_1', settled.length - 1, [
      { id: '00000000-0000-4000-8000-000000000000', type: 'PaymentLost', data: '{}', metadata: '{}' },
    ]);
    const { unreadable, currencies } = await found();
    expect(unreadable).to.deep.equal(['payment-pay_1']);
    expect(currencies[0]?.captured).to.equal(1_000);
  });

  it('says nothing about events after the position', async () => {
    await record('pay_1', settled);
    const to = await events.head();
    await record('pay_2', settled);
    await record('pay_1', refunded('r', 100));
    const { currencies } = await conservationOf(events, { to }, new AbortController().signal);
    expect(currencies[0]).to.include({ payments: 1, refunded: 0 });
  });
});
