// Notifications beyond one word on one attempt: several in a body, names that only the processor gives, and successes
// that came back.
import { expect } from 'chai';
import { parkedReason } from '../../../src/domain/notification/state.ts';
import type { KnownPayment } from '../../../src/domain/payment/payment.ts';
import { isKnown } from '../../../src/domain/payment/queries.ts';
import type { PaymentNotification } from '../../../src/processors/processor.ts';
import { notifications } from '../../../src/projections/models/notifications.ts';
import { done } from '../../support/answers.ts';
import { card, checkout, memoryStores, merchant, nodeOn, type Stores, type TestNode } from '../../support/node.ts';
import { scripted } from '../../support/scripted-processor.ts';
import { type MovableWorld, movableWorld } from '../../support/test-world.ts';
import { until } from '../../support/until.ts';

const ACCOUNT = 'acc_1';
const APPROVED = '4242424242424242';
const PENDING = '4000009900001036';

/** A body that is its notifications; signatures are tested elsewhere. */
const itemsIn = (raw: string): readonly PaymentNotification[] => JSON.parse(raw);

describe('a body of a processor', () => {
  let world: MovableWorld;
  let stores: Stores;
  let node: TestNode;
  beforeEach(async () => {
    world = movableWorld();
    stores = await memoryStores(world);
    const processor = scripted(stores.sandbox, { notifications: itemsIn, reread: itemsIn });
    node = await nodeOn(stores, {
      processor,
      timings: { sendWithinMs: 1_000, answerWithinMs: 1_000, abandonAfterMs: 60_000 },
    });
  });

  const caller = () => merchant(ACCOUNT, world);
  const pay = async (number = APPROVED): Promise<{ readonly id: string; readonly payment: KnownPayment }> => {
    const { service } = node;
    const session = await service.sessions.createClientSession(
      { orderId: 'o', currencyCode: 'EUR', amount: 1_000 },
      caller(),
    );
    if (session.kind === 'rejected') throw new Error(session.errorId);
    const { id, clientToken } = session;
    const token = done(await service.instruments.tokenizeCard(card(number), checkout(ACCOUNT, id, world)));
    const paid = done(await service.payments.authorizePayment({ clientToken, paymentMethodToken: token.id }, caller()));
    return { id: paid.id, payment: await current(paid.id) };
  };
  const current = async (id: string): Promise<KnownPayment> => {
    const { state } = await node.service.streams.payments.current(id);
    if (!isKnown(state)) throw new Error(`${id} is not known`);
    return state;
  };
  const tell = async (
    ...items: readonly (Omit<PaymentNotification, 'occurredAt'> & { readonly occurredAt?: number })[]
  ): Promise<void> => {
    const raw = JSON.stringify(items.map((item) => ({ occurredAt: world.now(), ...item })));
    const received = await node.service.notifications.receiveNotification(
      { processor: 'sandbox', raw, headers: {} },
      caller(),
    );
    if (received.kind !== 'received') throw new Error(received.kind);
    await received.handled;
  };
  const parked = async () => {
    const rows = await node.service.readModels.find(notifications, { where: { parkedAt: { from: 0 } }, limit: 10 });
    return rows.map(({ doc }) => (doc.status === 'parked' ? `${doc.notificationId}: ${parkedReason(doc.reason)}` : ''));
  };
  const succeeded = (processorTransactionId: string) =>
    ({ kind: 'succeeded', processorTransactionId, amount: 1_000, currencyCode: 'EUR' }) as const;
  const typesOf = async (id: string): Promise<readonly string[]> => {
    const types: string[] = [];
    for await (const { event } of node.service.streams.payments.history(id, -1)) types.push(event.type);
    return types;
  };

  it('has each of its notifications handled for itself: a parked one delays no other', async () => {
    const [first, second] = [await pay(PENDING), await pay(PENDING)];
    const about = { operation: 'authorization', outcome: succeeded('tx') } as const;
    const occurredAt = world.now();
    const items = [first, second].map(({ payment }, place) => ({
      occurredAt,
      notificationId: `n-${place}`,
      subject: { reference: payment.attempts[0]?.reference ?? '' },
      about,
    }));
    await tell({ notificationId: 'n-stranger', subject: { reference: 'nobody0' }, about }, ...items);
    expect([(await current(first.id)).status, (await current(second.id)).status]).to.deep.equal([
      'AUTHORIZED',
      'AUTHORIZED',
    ]);
    expect(await parked()).to.deep.equal(['n-stranger: The notification names no known payment of the account.']);
    // Regrouped, as a processor that retries may send them.
    await tell(...items.toReversed());
    expect(await parked()).to.have.length(1);
    expect(node.reported).to.deep.equal([]);
  });

  it('has what is said twice under one id parked, where it is not the same', async () => {
    const [first, second] = [await pay(PENDING), await pay(PENDING)];
    const about = { operation: 'authorization', outcome: succeeded('tx') } as const;
    const items = [first, second, second].map(({ payment }, place) => ({
      occurredAt: world.now() + place,
      notificationId: 'n-1',
      subject: { reference: payment.attempts[0]?.reference ?? '' },
      about,
    }));
    await tell(...items);
    expect([(await current(first.id)).status, (await current(second.id)).status]).to.deep.equal([
      'AUTHORIZED',
      'PENDING',
    ]);
    expect(await parked()).to.have.length(2);
  });

  it('may be empty, and is accepted then', async () => {
    await tell();
    expect(await parked()).to.deep.equal([]);
  });

  it('names a payment by the name that the processor gave it', async () => {
    const { id, payment } = await pay(PENDING);
    const { processorTransactionId = '' } = payment;
    const about = { operation: 'authorization', outcome: succeeded(processorTransactionId) } as const;
    await tell({ notificationId: 'n-1', subject: { processorTransactionId }, about });
    expect((await current(id)).status).to.equal('AUTHORIZED');
    await tell({ notificationId: 'n-2', subject: { processorTransactionId: 'tx_nobody' }, about });
    expect(await parked()).to.deep.equal(['n-2: The notification names no known payment of the account.']);
    await tell({ notificationId: 'n-3', subject: { processorTransactionId }, about: { authorizationExpired: true } });
    expect((await current(id)).status).to.equal('CANCELLED');
  });

  it('means the operation that waits for its word, where its own name is not known yet', async () => {
    const { id, payment } = await pay('4000009900003040');
    done(await node.service.payments.capturePayment(id, {}, caller()));
    const { processorTransactionId = '' } = payment;
    const about = { operation: 'capture', outcome: succeeded('tx_of_the_capture') } as const;
    await tell({ notificationId: 'n-1', subject: { processorTransactionId }, about });
    expect(await current(id)).to.include({ status: 'SETTLED', amountCaptured: 1_000 });
  });

  it('tells that a refund came back: it is booked once, and no longer counts as refunded', async () => {
    const { id, payment } = await pay();
    done(await node.service.payments.capturePayment(id, {}, caller()));
    done(await node.service.payments.refundPayment(id, { amount: 400 }, caller()));
    const refund = (await current(id)).attempts.at(-1);
    const { processorTransactionId = '' } = refund ?? {};
    const about = { reversalOf: 'refund', processorTransactionId, amount: 400, currencyCode: 'EUR' } as const;
    const subject = { processorTransactionId: payment.processorTransactionId ?? '' };
    await tell({ notificationId: 'n-1', subject, about });
    await tell({ notificationId: 'n-2', subject: { reference: refund?.reference ?? '' }, about });
    expect(await current(id)).to.include({ status: 'SETTLED', amountRefunded: 0, amountRefundable: 1_000 });
    expect((await typesOf(id)).filter((type) => type === 'RefundReturned')).to.have.length(1);
    expect(await parked()).to.deep.equal([]);
  });

  it('reports a return that cannot be booked: it is parked, never dropped', async () => {
    const { id } = await pay();
    done(await node.service.payments.capturePayment(id, {}, caller()));
    const capture = (await current(id)).attempts.at(-1);
    const { processorTransactionId = '', reference = '' } = capture ?? {};
    const about = { reversalOf: 'capture', processorTransactionId, amount: 1, currencyCode: 'EUR' } as const;
    await tell({ notificationId: 'n-1', subject: { reference }, about });
    expect(await current(id)).to.include({ status: 'SETTLED', amountCaptured: 1_000 });
    expect(await parked()).to.deep.equal([
      `n-1: Only the whole amount of ${capture?.attemptId} can be returned: 10.00 EUR.`,
    ]);
  });

  it('reports a return before its success: it waits for the success', async () => {
    const { id } = await pay('4000009900003040');
    done(await node.service.payments.capturePayment(id, {}, caller()));
    const { reference = '', attemptId } = (await current(id)).attempts.at(-1) ?? {};
    const about = {
      reversalOf: 'capture',
      processorTransactionId: 'tx_c',
      amount: 1_000,
      currencyCode: 'EUR',
    } as const;
    const occurredAt = world.now();
    await tell({ notificationId: 'n-1', subject: { reference }, about, occurredAt: occurredAt + 1 });
    expect(await parked()).to.deep.equal([
      `n-1: The notification reports a return, but ${attemptId} has not succeeded: its state is pending.`,
    ]);
    const success = { operation: 'capture', outcome: succeeded('tx_c') } as const;
    await tell({ notificationId: 'n-2', subject: { reference }, about: success, occurredAt });
    await until(async () => (await parked()).length === 0);
    expect(await current(id)).to.include({ status: 'AUTHORIZED', amountCaptured: 0 });
  });

  it('names no payment by a text that cannot be a reference of ours, and no stream is read for it', async () => {
    const { payments } = node.service.streams;
    const read: string[] = [];
    const { current: readOne } = payments;
    payments.current = (id) => {
      read.push(id);
      return readOne.call(payments, id);
    };
    const texts = ['', 'order-77', 'x'.repeat(41), `${'ab'.repeat(16)}/../0`];
    const about = { operation: 'authorization', outcome: succeeded('tx') } as const;
    await tell(...texts.map((reference, place) => ({ notificationId: `n-${place}`, subject: { reference }, about })));
    expect(await parked()).to.have.length(texts.length);
    expect(read).to.deep.equal([]);
  });

  it('moves no attempt that went to another processor', async () => {
    const { id, payment } = await pay(PENDING);
    const processor = { ...scripted(stores.sandbox, { notifications: itemsIn, reread: itemsIn }), name: 'other' };
    const { notifications: ofOther } = (await nodeOn(stores, { processor })).service;
    const subject = { reference: payment.attempts[0]?.reference ?? '' };
    const told = {
      notificationId: 'n-1',
      occurredAt: world.now(),
      subject,
      about: { operation: 'authorization', outcome: succeeded('tx') },
    };
    const received = await ofOther.receiveNotification(
      { processor: 'other', raw: JSON.stringify([told]), headers: {} },
      caller(),
    );
    if (received.kind !== 'received') throw new Error(received.kind);
    await received.handled;
    expect((await current(id)).status).to.equal('PENDING');
    expect(await parked()).to.deep.equal([
      'n-1: The notification comes from other, but the attempt was sent to sandbox.',
    ]);
  });

  it('reports the failure of a capture after its success: that is a return as well', async () => {
    const { id } = await pay();
    done(await node.service.payments.capturePayment(id, {}, caller()));
    const reference = (await current(id)).attempts.at(-1)?.reference ?? '';
    world.advance(86_400_000);
    const outcome = { kind: 'declined', code: 'GENERIC_DECLINE', declineType: 'HARD' } as const;
    await tell({ notificationId: 'n-1', subject: { reference }, about: { operation: 'capture', outcome } });
    expect(await current(id)).to.include({ status: 'AUTHORIZED', amountCaptured: 0 });
    expect(await typesOf(id)).to.include('CaptureReturned');
  });

  it('reports a dispute by the name of the payment, and is parked if its status is not known', async () => {
    const { id, payment } = await pay();
    const subject = { processorTransactionId: payment.processorTransactionId ?? '' };
    const dispute = { id: 'dp_1', status: 'OPEN', amount: 1_000, currencyCode: 'EUR' };
    await tell({ notificationId: 'n-0', subject, about: { dispute } });
    const [opened] = (await current(id)).disputes;
    expect(opened).to.include({ processorDisputeId: 'dp_1', status: 'OPEN', amount: 1_000 });
    expect(opened?.disputeId).to.match(/^dsp_/);
    await tell({
      notificationId: 'n-1',
      subject,
      about: { dispute: { ...dispute, status: 'ARBITRATION' } },
    });
    expect(await parked()).to.deep.equal([
      'n-1: The notification reports a dispute in terms that the service did not know when it tried.',
    ]);
  });
});
