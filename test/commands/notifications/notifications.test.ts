// Notifications as commands: bound to the attempt that they name, parked when they name no known payment, and none
// forgotten.

import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { isKnown } from '../../../src/domain/payment/queries.ts';
import { referenceOf } from '../../../src/domain/payment/reference.ts';
import { EventMetadata } from '../../../src/journal/envelope.ts';
import { handleNotifications, retryParkedNotifications } from '../../../src/policies/due-work.ts';
import { runDue } from '../../../src/policies/policy.ts';
import { notifications } from '../../../src/projections/models/notifications.ts';
import { formatTime, newId } from '../../../src/world.ts';
import { eventsAfter } from '../../support/http-appended.ts';
import { card, checkout, memoryStores, merchant, nodeOn, type Stores, type TestNode } from '../../support/node.ts';
import { scripted } from '../../support/scripted-processor.ts';
import { type MovableWorld, movableWorld } from '../../support/test-world.ts';
import { until } from '../../support/until.ts';

const ACCOUNT = 'acc_1';
const DAY_MS = 86_400_000;

describe('a notification of the processor', () => {
  let world: MovableWorld;
  let stores: Stores;
  let node: TestNode;
  let count = 0;
  beforeEach(async () => {
    world = movableWorld();
    stores = await memoryStores(world);
    node = await nodeOn(stores, { timings: { sendWithinMs: 1_000, answerWithinMs: 40, abandonAfterMs: 60_000 } });
  });

  const tell = async (
    type: string,
    reference: string,
    amount = 1_000,
    {
      requestId = newId(world, 'req'),
      ...more
    }: Partial<Record<'requestId' | 'notificationId' | 'occurredAt' | 'processorTransactionId' | 'note', string>> = {},
    signedAt = world.now(),
  ) => {
    count += 1;
    const notificationId = `n-${count}`;
    const occurredAt = formatTime(world.now());
    const raw = JSON.stringify({
      notificationId,
      type,
      occurredAt,
      reference,
      processorTransactionId: 'sbx_1',
      amount,
      currencyCode: 'EUR',
      ...more,
    });
    const seconds = Math.floor(signedAt / 1_000);
    const [key] = stores.secrets.keys('sandbox-signature');
    const signature = createHmac('sha256', key ?? '')
      .update(`${seconds}.${raw}`)
      .digest('hex');
    const headers = { 'x-sandbox-signature': `t=${seconds},v1=${signature}` };
    const received = await node.service.notifications.receiveNotification(
      { processor: 'sandbox', raw, headers },
      { ...merchant(ACCOUNT, world), requestId },
    );
    if (received.kind !== 'received') throw new Error(JSON.stringify(received));
    await received.handled;
  };
  const unknownPayment = async (number = '4000009900001044', captureMode: 'AUTOMATIC' | 'MANUAL' = 'MANUAL') => {
    const { service } = node;
    const session = await service.sessions.createClientSession(
      { orderId: 'o-1', currencyCode: 'EUR', amount: 1_000, paymentMethod: { captureMode } },
      merchant(ACCOUNT, world),
    );
    if (session.kind === 'rejected') throw new Error(session.errorId);
    const token = await service.instruments.tokenizeCard(card(number), checkout(ACCOUNT, session.id, world));
    if (token.kind === 'rejected') throw new Error(token.errorId);
    const paid = await service.payments.authorizePayment(
      { clientToken: session.clientToken, paymentMethodToken: token.id },
      merchant(ACCOUNT, world),
    );
    if (paid.kind === 'rejected' || !isKnown(paid.doc)) throw new Error('no payment');
    const [attempt] = paid.doc.attempts;
    const { reference = '', attemptId = '' } = attempt ?? {};
    return { id: paid.id, reference, captureReference: referenceOf(`${attemptId}-capture`) };
  };
  const parkedIds = async (): Promise<readonly string[]> =>
    (await node.service.readModels.find(notifications, { where: { parkedAt: { from: 0 } }, limit: 10 })).map(
      ({ id }) => id,
    );
  const statusOf = async (id: string) => (await node.service.streams.payments.current(id)).state.status;

  it('settles the attempt that it names, once', async () => {
    const { id, reference } = await unknownPayment();
    await tell('authorization.succeeded', reference);
    expect(await statusOf(id)).to.equal('AUTHORIZED');
    await tell('authorization.failed', reference);
    expect(await statusOf(id)).to.equal('AUTHORIZED');
    const settled: unknown[] = [];
    for await (const { event } of node.service.streams.payments.history(id, -1))
      if (event.type === 'PaymentAuthorized') settled.push(event.data.evidence);
    expect(settled).to.have.length(1);
    expect(settled[0])
      .to.deep.include({ source: 'notification', notificationId: `n-${count - 1}` })
      .and.have.property('occurredAt');
  });

  it('is the cause of the first event that it leads to, and that one of the next', async () => {
    const { reference } = await unknownPayment('4000009900001010', 'AUTOMATIC');
    await tell('authorization.succeeded', reference);
    const events = await eventsAfter(stores.events, -1n);
    const causeOf = (wanted: string) => {
      const told = events.findLast(({ type }) => type === wanted);
      const { $causationId } = EventMetadata.parse(JSON.parse(told?.metadata ?? ''));
      return events.find(({ id }) => id === $causationId)?.type;
    };
    expect(causeOf('PaymentAuthorized')).to.equal('NotificationReceived');
    expect(causeOf('CaptureRequested')).to.equal('PaymentAuthorized');
  });

  describe('leaves the id of its request on every event that it causes', () => {
    const requestOf = async (paymentId: string, type: string): Promise<string | undefined> => {
      let requestId: string | undefined;
      for await (const { event, metadata } of node.service.streams.payments.history(paymentId, -1))
        if (event.type === type) requestId = metadata.$correlationId;
      return requestId;
    };

    it('its follow-ups included', async () => {
      const { id, reference } = await unknownPayment('4000009900001010', 'AUTOMATIC');
      await tell('authorization.succeeded', reference, 1_000, { requestId: 'told-by-1' });
      for (const type of ['PaymentAuthorized', 'CaptureRequested'])
        expect(await requestOf(id, type), type).to.equal('told-by-1');
    });

    it('also when it is handled later: by a policy, by an operator, and when its payment appears', async () => {
      const { payments } = node.service.streams;
      const { current } = payments;
      const later = { policy: await unknownPayment(), operator: await unknownPayment() };
      payments.current = async () => payments.empty; // as if the payments were not there yet
      for (const [requestId, { reference }] of Object.entries(later))
        await tell('authorization.succeeded', reference, 1_000, { requestId });
      payments.current = current;
      for (const recordId of await parkedIds()) {
        const { state } = await node.service.streams.notifications.current(recordId);
        if ('raw' in state && state.raw.includes(later.operator.reference))
          await node.service.notifications.retryNotification(recordId);
      }
      world.advance(60_000);
      await runDue(retryParkedNotifications(node.service.work), node.service.readModels, node.service.work);
      for (const [requestId, { id }] of Object.entries(later))
        expect(await requestOf(id, 'PaymentAuthorized')).to.equal(requestId);
      const { id, reference, captureReference } = await unknownPayment('4000009900001010', 'AUTOMATIC');
      await tell('capture.succeeded', captureReference, 1_000, { requestId: 'awaited' });
      await tell('authorization.succeeded', reference, 1_000, { requestId: 'first' });
      await until(async () => (await statusOf(id)) === 'SETTLED' && (await parkedIds()).length === 0);
      expect(await requestOf(id, 'CaptureRequested')).to.equal('first');
    });
  });

  for (const type of ['refund.succeeded', 'capture.failed', 'cancellation.succeeded']) {
    it(`is parked when it says ${type} of an authorization`, async () => {
      const { id, reference } = await unknownPayment();
      await tell(type, reference);
      expect(await statusOf(id)).to.equal('PENDING');
    });
  }

  it('comes to its turn after any number of parked ones, when its payment is known at last', async () => {
    for (let index = 0; index < 120; index += 1) await tell('authorization.succeeded', `pay_unknown${index}.1`);
    const { payments } = node.service.streams;
    const { current } = payments;
    const { id, reference } = await unknownPayment();
    payments.current = async () => payments.empty; // as if the payment were not there yet
    await tell('authorization.succeeded', reference);
    payments.current = current;
    expect(await statusOf(id)).to.equal('PENDING');
    world.advance(60_000);
    await runDue(retryParkedNotifications(node.service.work), node.service.readModels, node.service.work);
    expect(await statusOf(id)).to.equal('AUTHORIZED');
  });

  it('is retried less and less often, each time on record, and never by two nodes for one time', async () => {
    await tell('authorization.succeeded', 'pay_nobody.1');
    const other = await nodeOn(stores);
    const recorded = async () => {
      const [row] = await node.service.readModels.find(notifications, { where: { parkedAt: { from: 0 } }, limit: 2 });
      return row?.doc.status === 'parked' ? [row.revision, row.doc.retries, (row.doc.retryAt ?? 0) - world.now()] : [];
    };
    const retry = ({ service }: TestNode) =>
      runDue(retryParkedNotifications(service.work), service.readModels, service.work);
    expect(await retry(node)).to.equal(0);
    for (const [retries, minutes] of [
      [1, 1],
      [2, 2],
      [3, 4],
      [4, 8],
    ] as const) {
      world.advance(minutes * 60_000);
      await Promise.all([retry(node), retry(other)]);
      const [revision = 0, counted, left = 0] = await recorded();
      expect([revision, counted]).to.deep.equal([1 + retries, retries]);
      expect(left).to.be.within(minutes * 120_000 - 5_000, minutes * 120_000);
    }
  });

  it('is no longer retried automatically after 30 days of failures, stays listed, and is applied manually', async () => {
    const { payments } = node.service.streams;
    const { current } = payments;
    const { id, reference } = await unknownPayment();
    payments.current = async () => payments.empty; // as if the payment were not there yet
    await tell('authorization.succeeded', reference);
    await tell('authorization.succeeded', 'pay_nobody.1');
    const retry = () => runDue(retryParkedNotifications(node.service.work), node.service.readModels, node.service.work);
    world.advance(30 * DAY_MS - 1_000);
    expect([await retry(), node.reported.map(String)]).to.deep.equal([2, []]);
    world.advance(DAY_MS);
    expect(await retry()).to.equal(2);
    const [told = '', ...others] = node.reported.map(String).toSorted();
    expect(told).to.match(
      /^The notification \w+ of sandbox could not be applied after 30 days of retries and stays parked for an operator: The notification names no known/,
    );
    expect(others).to.have.length(1);
    world.advance(DAY_MS);
    expect([await retry(), node.reported.length]).to.deep.equal([0, 2]);
    payments.current = current;
    const statuses: string[] = [];
    for (const recordId of await parkedIds()) {
      const retried = await node.service.notifications.retryNotification(recordId);
      statuses.push(retried.kind === 'rejected' ? retried.errorId : retried.doc.status);
    }
    expect(statuses.toSorted()).to.deep.equal(['applied', 'parked']);
    expect(await statusOf(id)).to.equal('AUTHORIZED');
    expect([(await parkedIds()).length, node.reported.length]).to.deep.equal([1, 2]);
  });

  it('is handled at once when its payment appears on the node that parked it', async () => {
    const { id, reference, captureReference } = await unknownPayment('4000009900001010', 'AUTOMATIC');
    await tell('capture.succeeded', captureReference, 1_000, { notificationId: 'early' });
    const [recordId] = await parkedIds();
    expect(recordId).to.be.a('string');
    await tell('authorization.succeeded', reference);
    const { notifications: records } = node.service.streams;
    await until(async () => (await records.current(recordId ?? '')).state.status === 'applied');
    expect(await statusOf(id)).to.equal('SETTLED');
    expect(await parkedIds()).to.deep.equal([]);
  });

  it('is retried and discarded by an operator, who is told the result', async () => {
    const { service } = node;
    await tell('authorization.succeeded', 'pay_nobody.1');
    const [recordId = ''] = await parkedIds();
    const retried = await service.notifications.retryNotification(recordId);
    expect(retried).to.deep.include({ kind: 'completed', id: recordId, revision: 2 });
    expect(await service.notifications.discardNotification(recordId)).to.include({ kind: 'completed', revision: 3 });
    expect(await service.notifications.discardNotification(recordId)).to.include({ kind: 'completed', revision: 3 });
    expect(await service.notifications.retryNotification(recordId)).to.include({
      kind: 'rejected',
      errorId: 'Conflict',
    });
    expect(await service.notifications.retryNotification('none')).to.include({ kind: 'rejected', errorId: 'NotFound' });
    expect(await service.notifications.discardNotification('none')).to.include({
      kind: 'rejected',
      errorId: 'NotFound',
    });
    expect(await parkedIds()).to.deep.equal([]);
    const acts: unknown[] = [];
    for await (const { metadata, event } of service.streams.notifications.history(recordId, 1))
      acts.push([event.type, metadata.actor]);
    const operator = { kind: 'operator', id: 'cli' };
    expect(acts).to.deep.equal([
      ['NotificationRetryRequested', operator],
      ['NotificationDiscarded', operator],
    ]);
  });

  it('is believed when it is signed by business time, and by the machine’s where that was moved, but by no other', async () => {
    const { id, reference } = await unknownPayment();
    world.advance(7 * DAY_MS);
    const old = await tell('authorization.succeeded', reference, 1_000, {}, world.now() - DAY_MS).catch(
      (fault: unknown) => fault,
    );
    expect(String(old)).to.contain('bad_signature');
    await tell('authorization.succeeded', reference, 1_000, {}, Date.now());
    expect(await statusOf(id)).to.equal('AUTHORIZED');
    await tell('authorization.succeeded', 'pay_nobody.1');
    expect(await parkedIds()).to.have.length(1);
  });

  it('is left alone by a node that has not got its processor', async () => {
    await tell('authorization.succeeded', 'pay_nobody.1');
    const [recordId = ''] = await parkedIds();
    const elsewhere = await nodeOn(stores, { processor: { ...scripted(stores.sandbox, {}), name: 'another' } });
    world.advance(60_000);
    const { service } = elsewhere;
    await runDue(retryParkedNotifications(service.work), service.readModels, service.work);
    expect(await service.notifications.retryNotification(recordId)).to.include({
      kind: 'rejected',
      errorId: 'ServiceUnavailable',
    });
    expect((await service.streams.notifications.current(recordId)).head.revision).to.equal(1);
  });

  const CARDS = [
    '4242424242424242',
    '4242 4242 4242 4242',
    '5555-5555-5555-4444',
    'PAN5555555555554444_',
    '\uff14242424242424242',
  ];
  it('leaves no card number on record, whatever member holds it and however it is written, and has its effect', async () => {
    const { id, reference } = await unknownPayment();
    for (const [index, note] of CARDS.entries())
      await tell('authorization.succeeded', `pay_none${index}.1`, 1_000, { note });
    await tell('authorization.succeeded', reference, 1_000, {
      notificationId: CARDS[2] ?? '',
      processorTransactionId: `tx ${CARDS[1]}`,
    });
    expect(await statusOf(id)).to.equal('AUTHORIZED');
    let text = '';
    const stop = new AbortController();
    for await (const { events, caughtUp } of stores.events.follow(-1n, [], stop.signal)) {
      for (const { data } of events) text += `${data}\n`;
      if (caughtUp) stop.abort();
    }
    expect(text).to.contain('5555-5500-0000-4444').and.to.contain('4242 4200 0000 4242');
    for (const card of CARDS) expect(text).not.to.contain(card);
  });

  describe('whose id is on record with other content', () => {
    const sameId = { notificationId: 'n-same', occurredAt: '2026-01-02T03:04:05Z' };
    const recordOf = async (id: string) => (await node.service.streams.notifications.current(id)).state;

    it('moves no payment, is a record of its own, parked, and told once', async () => {
      const { id, reference } = await unknownPayment();
      await tell('authorization.succeeded', 'pay_nobody.1', 1_000, sameId);
      const [first = ''] = await parkedIds();
      for (let times = 0; times < 2; times += 1) await tell('authorization.succeeded', reference, 1_000, sameId);
      expect(await statusOf(id)).to.equal('PENDING');
      expect(await recordOf(first)).to.deep.include({ status: 'parked', reason: { code: 'payment_unknown' } });
      const [other = '', ...more] = (await parkedIds()).filter((one) => one !== first);
      expect(more).to.deep.equal([]);
      const record = await recordOf(other);
      const reason = { code: 'content_differs', firstRecordId: first };
      expect(record)
        .to.deep.include({ status: 'parked', reason, notificationId: 'n-same' })
        .and.not.to.have.property('retryAt');
      expect('raw' in record ? record.raw : '').to.contain(reference);
      const words = `An earlier notification with the same id has different content: ${first}.`;
      expect(node.reported.map(String)).to.deep.equal([
        `The notification ${other} of sandbox is parked for an operator. ${words}`,
      ]);
    });

    it('is never retried automatically; an operator can have it applied', async () => {
      const { id, reference } = await unknownPayment();
      await tell('authorization.failed', 'pay_nobody.1', 1_000, sameId);
      const [first = ''] = await parkedIds();
      await tell('authorization.succeeded', reference, 1_000, sameId);
      const [other = ''] = (await parkedIds()).filter((one) => one !== first);
      world.advance(2 * DAY_MS);
      const { service } = node;
      await runDue(retryParkedNotifications(service.work), service.readModels, service.work);
      await runDue(handleNotifications(service.work), service.readModels, service.work);
      expect([await statusOf(id), (await recordOf(other)).status]).to.deep.equal(['PENDING', 'parked']);
      expect(await service.notifications.retryNotification(other)).to.deep.nested.include({
        kind: 'completed',
        'doc.status': 'applied',
      });
      expect(await statusOf(id)).to.equal('AUTHORIZED');
    });

    it('is told as well when the first was applied, and neither moves the payment back', async () => {
      const { id, reference } = await unknownPayment();
      await tell('authorization.succeeded', reference, 1_000, sameId);
      await tell('authorization.failed', reference, 1_000, sameId);
      expect([await statusOf(id), (await parkedIds()).length, node.reported.length]).to.deep.equal([
        'AUTHORIZED',
        1,
        1,
      ]);
    });
  });

  it('that comes again in other words, with the same content, is the same one', async () => {
    const { id, reference } = await unknownPayment();
    const same = { notificationId: 'n-same', occurredAt: '2026-01-02T03:04:05Z' };
    await tell('authorization.succeeded', reference, 1_000, { ...same, note: 'first delivery' });
    await tell('authorization.succeeded', reference, 1_000, { ...same, note: 'second delivery' });
    expect([await statusOf(id), await parkedIds(), node.reported]).to.deep.equal(['AUTHORIZED', [], []]);
  });

  it('that comes again while its record is received only is handled then', async () => {
    const { id, reference } = await unknownPayment();
    const { streams } = node.service;
    const { payments, notifications: records } = streams;
    const { current } = payments;
    payments.current = async () => {
      throw new Error('the process dies here');
    };
    const same = { notificationId: 'n-again', occurredAt: '2026-01-02T03:04:05Z' };
    await tell('authorization.succeeded', reference, 1_000, same);
    payments.current = current;
    const [row] = await node.service.readModels.find(notifications, { where: { receivedAt: { from: 0 } }, limit: 2 });
    expect(row?.doc.status).to.equal('received');
    await tell('authorization.succeeded', reference, 1_000, same);
    expect(await statusOf(id)).to.equal('AUTHORIZED');
    expect((await records.current(row?.id ?? '')).state.status).to.equal('applied');
  });

  it('is another one than that whose id is masked alike', async () => {
    const one = await unknownPayment();
    const other = await unknownPayment();
    await tell('authorization.succeeded', one.reference, 1_000, { notificationId: '4242424242424242' });
    await tell('authorization.succeeded', other.reference, 1_000, { notificationId: '4242424242344242' });
    expect([await statusOf(one.id), await statusOf(other.id)]).to.deep.equal(['AUTHORIZED', 'AUTHORIZED']);
  });
});
