// The books of the days: equal to the payments at one position of the log, whatever is written meanwhile, and any real
// difference is found.
import { expect } from 'chai';
import { plus } from '../../../src/domain/money.ts';
import type { PaymentEvent } from '../../../src/domain/payment/events.ts';
import { referenceOf } from '../../../src/domain/payment/reference.ts';
import { openProjections, type Projections } from '../../../src/projections/engine/engine.ts';
import { copyOf } from '../../../src/projections/engine/generations/copy.ts';
import { parkLog } from '../../../src/projections/engine/parked/parked-records.ts';
import { faultAt } from '../../../src/projections/engine/parked/projection-fault.ts';
import { dailyTotals } from '../../../src/projections/models/daily-totals.ts';
import { payments } from '../../../src/projections/models/payments.ts';
import { type DailyBooks, dailyBooks } from '../../../src/queries/books/daily-books.ts';
import { memoryReadModels } from '../../../src/stores/memory/read-models.ts';
import type { ReadModels } from '../../../src/stores/read-models.ts';
import { eventsIn } from '../../contract/store-under-test.ts';
import {
  AT,
  authorizationRequested,
  authorized,
  cameBack,
  captureRequested,
  created,
  heldTooLate,
  isUnknown,
  partlySettled,
  place,
  refundRequested,
  settled,
  wentThrough,
} from '../../domain/payment/story.ts';
import { putRelease } from '../../projections/engine/parked/releasing.ts';
import { delegate, timings } from '../../projections/engine/setup.ts';
import { PaymentLog } from '../../projections/models/payment-log.ts';
import { calmWorld } from '../../support/calm-world.ts';
import { until } from '../../support/until.ts';

/** Net and now, where nothing else moved. */
function bothSides(moved: Partial<DailyBooks['books'][number]['now']>): readonly DailyBooks['books'][number]['now'][] {
  const sums = { authorized: 0, declined: 0, captured: 0, refunded: 0, disputed: 0, disputeLost: 0, ...moved };
  return [sums, sums];
}

describe('the books of the days', () => {
  let log: PaymentLog;
  const store = { current: memoryReadModels() };
  let projections: Projections;
  const open = (): Promise<Projections> =>
    openProjections({
      events: log.events,
      readModels: store.current,
      world: calmWorld,
      report: (fault) => expect.fail(String(fault)),
      projections: [payments, dailyTotals],
      timings,
    });
  beforeEach(async () => {
    log = new PaymentLog();
    store.current = memoryReadModels();
    await log.add('pay_1', partlySettled);
    await log.add('pay_2', [...settled, refundRequested('r', 300, 'c'), wentThrough('r', 'refund', 300)]);
    projections = await open();
  });
  const books = (readModels: ReadModels = projections.readModels, accountId?: string): Promise<DailyBooks> => {
    const positions = (): Promise<ReadonlyMap<string, bigint>> => projections.positions();
    return dailyBooks(
      {
        events: log.events,
        readModels,
        positions,
        parked: (name) => projections.parked(name, { withReleased: true }),
        accountId,
      },
      new AbortController().signal,
    );
  };

  it('show the sums of the days, of the payments, and of open amounts, by account and currency', async () => {
    await log.add('pay_3', [...authorized, captureRequested('c', 250, false), isUnknown('c', 'capture')]);
    const { books: sheets, days, differences, payments: count } = await books();
    expect([differences, count, days.length, sheets.length]).to.deep.equal([[], 3, 1, 1]);
    const [sheet] = sheets;
    expect(sheet).to.deep.include({
      accountId: 'acc_1',
      currencyCode: 'EUR',
      net: { authorized: 3_000, declined: 0, captured: 1_400, refunded: 300, disputed: 0, disputeLost: 0 },
      now: { authorized: 3_000, declined: 0, captured: 1_400, refunded: 300, disputed: 0, disputeLost: 0 },
    });
    expect(sheet?.open.captured).to.deep.equal({ count: 1, amount: 250 });
  });

  it('have money that came too late and cannot be refunded in a row of its own', async () => {
    await log.add('pay_3', heldTooLate);
    const { books: sheets, differences } = await books();
    expect(differences).to.deep.equal([]);
    expect(sheets.map(({ held, now }) => [held, now.captured])).to.deep.equal([[{ count: 1, amount: 1_000 }, 1_400]]);
  });

  it('count a payment once that went on from a decline with authentication', async () => {
    const attemptId = 'pay_1.a-3ds';
    const evidence = { source: 'answer' } as const;
    const refusal = {
      attemptId: 'pay_1.a',
      evidence,
      code: 'AUTHENTICATION_REQUIRED',
      declineType: 'SOFT',
      amount: 1_000,
      ...place,
    } as const;
    const request = { ...authorizationRequested.data, attemptId, reference: referenceOf(attemptId) };
    await log.add('pay_3', [
      created(),
      authorizationRequested,
      { type: 'AuthorizationDeclined', data: { ...refusal, currencyCode: 'EUR', retriedAs: attemptId } },
      { type: 'AuthorizationRequested', data: request },
      wentThrough('a-3ds', 'authorization', 1_000),
    ]);
    const { books: sheets, differences } = await books();
    expect(differences).to.deep.equal([]);
    const declined = { count: 0, amount: 0 };
    expect(sheets.map(({ days, now }) => [days.authorized.count, days.declined, now.declined])).to.deep.equal([
      [3, declined, 0],
    ]);
  });

  const dispute = (disputeId: string, amount: number, currencyCode = 'EUR'): PaymentEvent => ({
    type: 'DisputeOpened',
    data: {
      round: 1,
      type: 'DISPUTE',
      disputeId,
      processorDisputeId: disputeId,
      amount,
      currencyCode,
      ...place,
      openedAt: AT,
      evidence: { source: 'notification' },
    },
  });

  it('have each dispute in its own currency', async () => {
    await log.add('pay_3', [...settled, dispute('d', 250), dispute('e', 7, 'USD')]);
    const { books: sheets, differences } = await books();
    expect(differences).to.deep.equal([]);
    expect(sheets.map(({ currencyCode, now }) => [currencyCode, now.disputed, now.captured])).to.deep.equal([
      ['EUR', 250, 2_400],
      ['USD', 7, 0],
    ]);
  });

  it('are equal however disputes end, with returned captures and refunds beside them', async () => {
    const ends = ['DisputeWon', 'DisputeLost', 'DisputeAccepted', 'DisputeExpired'] as const;
    const ended = (type: (typeof ends)[number], disputeId: string): PaymentEvent => ({
      type,
      data: { disputeId, evidence: { source: 'notification' } },
    });
    for (const [index, end] of ends.entries()) {
      const opened = [dispute('d', 250), dispute('e', 7, 'USD')];
      await log.add(`pay_d${index}`, [...settled, ...opened, ended(end, 'd'), ended(end, 'e')]);
      await log.add(`pay_r${index}`, [
        ...settled,
        ...opened,
        cameBack('c', 'capture', 1_000),
        ended(end, 'd'),
        ended(end, 'e'),
      ]);
      const refunded = [refundRequested('r', 300, 'c'), wentThrough('r', 'refund', 300)];
      await log.add(`pay_b${index}`, [
        ...settled,
        ...refunded,
        ...opened,
        cameBack('r', 'refund', 300),
        ended(end, 'e'),
      ]);
    }
    const { books: sheets, differences } = await books();
    expect(differences).to.deep.equal([]);
    expect(sheets.map(({ currencyCode, net, now }) => [currencyCode, net, now])).to.deep.equal([
      [
        'EUR',
        ...bothSides({ authorized: 14_000, captured: 9_400, refunded: 300, disputed: 3_000, disputeLost: 1_500 }),
      ],
      ['USD', ...bothSides({ disputed: 84, disputeLost: 63 })],
    ]);
    expect(sheets.map(({ open }) => open.disputeLost)).to.deep.equal([
      { count: 4, amount: 1_000 },
      { count: 0, amount: 0 },
    ]);
  });

  it('take back what a later word has regained', async () => {
    const by = { evidence: { source: 'notification' } } as const;
    await log.add('pay_3', [
      ...settled,
      dispute('d', 250),
      { type: 'DisputeExpired', data: { disputeId: 'd', ...by } },
      { type: 'DisputeEvidenceSubmitted', data: { disputeId: 'd', submission: {}, submitted: true, ...by } },
      dispute('e', 40),
      { type: 'DisputeAccepted', data: { disputeId: 'e', ...by } },
      { type: 'DisputeLost', data: { disputeId: 'e', ...by } }, // it was lost already
    ]);
    const [sheet] = (await books()).books;
    expect([sheet?.days.disputeLost, sheet?.days.disputeRegained]).to.deep.equal([
      { count: 2, amount: 290 },
      { count: 1, amount: 250 },
    ]);
    expect([sheet?.net.disputeLost, sheet?.now.disputeLost, sheet?.open.disputeLost]).to.deep.equal([
      40,
      40,
      { count: 1, amount: 250 },
    ]);
  });

  it('are of the account that is asked for', async () => {
    await log.add('pay_9', [created({ accountId: 'acc_2' }), ...authorized.slice(1)]);
    expect(
      (await books(undefined, 'acc_2')).books.map(({ accountId, now }) => [accountId, now.authorized]),
    ).to.deep.equal([['acc_2', 1_000]]);
    expect((await books()).books.map(({ accountId }) => accountId)).to.deep.equal(['acc_1', 'acc_2']);
  });

  it('find a total that differs from the log', async () => {
    const [row] = await projections.readModels.find(dailyTotals, { where: { day: { from: '' } }, limit: 1 });
    if (row === undefined) throw new Error('no totals');
    const doc = { ...row.doc, captured: { count: 2, amount: 1_399 } };
    await store.current.write(copyOf(dailyTotals, 1), [{ ...row, revision: row.revision + 1, doc }]);
    expect((await books()).differences).to.deep.equal([
      { accountId: 'acc_1', currencyCode: 'EUR', measure: 'captured', days: 1_399, now: 1_400 },
    ]);
  });

  it('find a payment that differs from the log', async () => {
    const [row] = await projections.readModels.get(payments, ['pay_2']);
    if (row === undefined) throw new Error('no payment');
    const doc = { ...row.doc, amountRefunded: 0 };
    await store.current.write(copyOf(payments, 1), [{ ...row, revision: row.revision + 1, doc }]);
    expect((await books()).differences).to.deep.equal([
      { accountId: 'acc_1', currencyCode: 'EUR', measure: 'refunded', days: 300, now: 0 },
    ]);
  });

  it('need no follower: events that neither side has got yet are read from the log', async () => {
    await log.add('pay_1', [captureRequested('d', 100, false), wentThrough('d', 'capture', 100)]);
    await log.add('pay_4', settled);
    const found = await books();
    expect([found.differences, found.payments, found.books[0]?.now.captured]).to.deep.equal([[], 3, 2_500]);
  });

  for (const [when, moment] of [
    ['before they are read', 'before'],
    ['after they are read', 'after'],
  ] as const)
    it(`are equal when payments change while they are added up, ${when}`, async () => {
      const stopping = new AbortController();
      const running = projections.run(stopping.signal);
      let isFirst = true;
      const change = async (): Promise<void> => {
        if (!isFirst) return;
        isFirst = false;
        await log.add('pay_1', [captureRequested('d', 100, false), wentThrough('d', 'capture', 100)]);
        await log.add('pay_5', authorized);
        await until(async () => (await projections.readModels.get(payments, ['pay_5']))[0]?.revision === 2);
      };
      const moving: ReadModels = {
        ...delegate(store.current),
        get: (of, ids) => projections.readModels.get(of, ids),
        find: async (of, query) => {
          if (of.name === payments.name && moment === 'before') await change();
          const rows = await projections.readModels.find(of, query);
          if (of.name === payments.name && moment === 'after') await change();
          return rows;
        },
      };
      const found = await books(moving);
      expect(isFirst).to.equal(false);
      expect([found.differences, found.payments, found.books[0]?.now.captured]).to.deep.equal([[], 2, 1_400]);
      const later = await books();
      expect([later.differences, later.payments, later.books[0]?.now.captured]).to.deep.equal([[], 3, 1_500]);
      stopping.abort();
      await running;
    });

  it('go on without a payment that cannot be read, on both sides, and name it', async () => {
    await log.events.append('payment-pay_6', -1, [
      {
        id: '5a7c9bb4-1f0e-4d6c-9c55-0f6f8a7a1d11',
        type: 'PaymentPondered',
        data: '{}',
        metadata: '{"schemaVersion":1,"recordedAt":1,"previousHash":""}',
      },
    ]);
    await log.add('pay_7', settled);
    const found = await books();
    expect(found.holes).to.deep.equal([{ stream: 'payment-pay_6', revision: 0 }]);
    expect([found.differences, found.payments]).to.deep.equal([[], 3]);
    // Read models that are parked there give an equal result.
    const stopping = new AbortController();
    const running = projections.run(stopping.signal);
    await until(async () => (await projections.parked()).length === 2);
    const head = await log.events.head();
    await until(async () => [...(await projections.positions()).values()].every((position) => position === head));
    const later = await books();
    expect([later.differences, later.payments, later.holes]).to.deep.equal([[], 3, found.holes]);
    await putRelease(log.events, 'payment-pay_6', 0);
    await projections.release('payment-pay_6');
    const released = await books();
    expect([released.differences, released.payments, released.holes, released.released]).to.deep.equal([
      [],
      3,
      [],
      found.holes,
    ]);
    stopping.abort();
    await running;
  });

  it('count a payment up to the event from which it is released, on both sides', async () => {
    await log.add('pay_8', settled);
    await projections.rebuild(dailyTotals.name);
    await projections.rebuild(payments.name);
    expect((await books()).books[0]?.now).to.include({ authorized: 3_000, captured: 2_400 });
    // As if the daily totals, and nothing else, could not read the capture.
    const own = copyOf(
      dailyTotals,
      (await projections.status()).find(({ name }) => name === dailyTotals.name)?.generation ?? 0,
    );
    const rows = await store.current.find(own, { where: {}, limit: 10 });
    const without = rows.map(({ id, revision, doc }) => {
      const captured = { count: doc.captured.count - 1, amount: plus(doc.captured.amount, 1_000, -1) };
      return { id, revision: revision + 1, doc: { ...doc, captured } };
    });
    await store.current.write(own, without);
    const at = settled.length - 1;
    const [stored] = await eventsIn(log.events, 'payment-pay_8', at - 1);
    if (stored === undefined) throw new Error('no capture');
    await parkLog(
      { events: log.events, store: store.current },
      own,
      faultAt(stored, new Error('cannot read it')),
      AT,
      'passed',
    );
    expect((await books()).differences).to.have.length(1);
    await putRelease(log.events, 'payment-pay_8', at);
    await projections.release('payment-pay_8');
    const found = await books();
    expect([found.differences, found.holes, found.released]).to.deep.equal([
      [],
      [],
      [{ stream: 'payment-pay_8', revision: at }],
    ]);
    expect(found.payments).to.equal(3);
    expect(found.books[0]?.now).to.include({ authorized: 3_000, captured: 1_400 });
  });
});
