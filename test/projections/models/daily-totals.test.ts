// Daily totals: the day and measure of each fact, and that the days always sum up to the payments as they are.
import { expect } from 'chai';
import fc from 'fast-check';
import { accept, type Decision } from '../../../src/domain/decider.ts';
import { plus, type Sum } from '../../../src/domain/money.ts';
import { authorizationOf } from '../../../src/domain/payment/attempt.ts';
import { requestAdjustment, requestCancellation, requestCapture } from '../../../src/domain/payment/change.ts';
import type { PaymentEvent } from '../../../src/domain/payment/events.ts';
import { expireAuthorization } from '../../../src/domain/payment/expire.ts';
import type { Evidence, NotFound, Outcome } from '../../../src/domain/payment/outcome.ts';
import type { Payment } from '../../../src/domain/payment/payment.ts';
import { isKnown } from '../../../src/domain/payment/queries.ts';
import { requestRefund } from '../../../src/domain/payment/refund.ts';
import { recordReturn } from '../../../src/domain/payment/return.ts';
import { settleAttempt } from '../../../src/domain/payment/settle.ts';
import { payment } from '../../../src/domain/payment/state.ts';
import { openProjections, type Projections } from '../../../src/projections/engine/engine.ts';
import { type DailyTotals, dailyTotals, isTotals } from '../../../src/projections/models/daily-totals.ts';
import { type Counted, type Measure, measures } from '../../../src/projections/models/payment-facts.ts';
import { payments } from '../../../src/projections/models/payments.ts';
import { dailyBooks } from '../../../src/queries/books/daily-books.ts';
import { readOverview } from '../../../src/queries/overview.ts';
import { memoryReadModels } from '../../../src/stores/memory/read-models.ts';
import {
  AT,
  adjustmentRequested,
  authorizationRequested,
  authorized,
  cameBack,
  cancellationRequested,
  captureRequested,
  declined,
  estimated,
  id,
  partlySettled,
  pending,
  place,
  refundRequested,
  settled,
  wasDeclined,
  wentThrough,
} from '../../domain/payment/story.ts';
import { calmWorld } from '../../support/calm-world.ts';
import { DAY_MS, DAY_ONE, PaymentLog } from './payment-log.ts';

const projected = (log: PaymentLog): Promise<Projections> =>
  openProjections({
    events: log.events,
    readModels: memoryReadModels(),
    world: calmWorld,
    report: (fault) => expect.fail(String(fault)),
    projections: [payments, dailyTotals],
  });

const documents = async (log: PaymentLog): Promise<readonly DailyTotals[]> => {
  const { readModels } = await projected(log);
  return (await readModels.find(dailyTotals, { where: {}, limit: 100 })).map(({ doc }) => doc).filter(isTotals);
};

/** `<day> <measure> <count>×<amount>`, of measures that are not zero. */
const linesOf = (all: readonly DailyTotals[]): readonly string[] =>
  all.flatMap((doc) =>
    measures
      .filter((measure) => doc[measure].count !== 0 || doc[measure].amount !== 0)
      .map((measure: Measure) => `${doc.day} ${measure} ${doc[measure].count}×${doc[measure].amount}`),
  );

const opened = (disputeId: string, amount: number, currencyCode = 'EUR'): PaymentEvent => ({
  type: 'DisputeOpened',
  data: {
    round: 1,
    type: 'DISPUTE',
    disputeId,
    processorDisputeId: `processors-${disputeId}`,
    amount,
    currencyCode,
    connectionId: 'sandbox',
    network: 'VISA',
    openedAt: AT,
    evidence: { source: 'notification' },
  },
});

describe('daily totals', () => {
  let log: PaymentLog;
  beforeEach(() => {
    log = new PaymentLog();
  });

  it('count a fact on the day on which it was recorded, in UTC', async () => {
    await log.add('pay_1', authorized, DAY_ONE + DAY_MS - 1);
    await log.add('pay_1', [captureRequested('c', 400, false), wentThrough('c', 'capture', 400)], DAY_ONE + DAY_MS);
    expect(linesOf(await documents(log))).to.deep.equal(['2026-11-21 authorized 1×1000', '2026-11-22 captured 1×400']);
  });

  it('add up facts of the same day and place, and keep others apart', async () => {
    await log.add('pay_1', authorized);
    await log.add('pay_2', authorized);
    const elsewhere = { connectionId: 'other|one', network: 'MASTERCARD' };
    const other = authorized.map((event): PaymentEvent => {
      return event.type === 'PaymentAuthorized' ? { ...event, data: { ...event.data, ...elsewhere } } : event;
    });
    await log.add('pay_3', other);
    const found = await documents(log);
    expect(
      found.map(({ connectionId, network, authorized: sum }) => [connectionId, network, sum.count, sum.amount]),
    ).to.have.deep.members([
      ['sandbox', 'VISA', 2, 2_000],
      ['other|one', 'MASTERCARD', 1, 1_000],
    ]);
    expect(found[0]).to.include({ day: '2026-11-21', accountId: 'acc_1', currencyCode: 'EUR' });
  });

  it('count a declined authorization by its code, and no decline of anything else', async () => {
    const refusal = wasDeclined('a', 'authorization');
    await log.add('pay_1', [...pending, refusal]);
    await log.add('pay_2', [...authorized, captureRequested('c', 400), wasDeclined('c', 'capture')]);
    const found = await documents(log);
    expect(
      found.filter(({ declineCode }) => declineCode !== undefined).map((doc) => [doc.declineCode, doc.declined.count]),
    ).to.deep.equal([['GENERIC_DECLINE', 1]]);
    expect(linesOf(found)).to.have.length(2);
  });

  it('take an adjustment for the difference that it makes, up or down, and for no authorization of its own', async () => {
    const adjusted = (name: string, amount: number): readonly PaymentEvent[] => [
      adjustmentRequested(name, amount),
      wentThrough(name, 'adjustment', amount),
    ];
    await log.add('pay_1', [...estimated, ...adjusted('x', 1_500)]);
    await log.add('pay_1', adjusted('y', 700), DAY_ONE + DAY_MS);
    expect(linesOf(await documents(log))).to.deep.equal([
      '2026-11-21 authorized 1×1500',
      '2026-11-22 authorized 0×-800',
    ]);
  });

  it('count returned amounts on the day on which the return was recorded', async () => {
    await log.add('pay_1', [...settled, refundRequested('r', 300, 'c'), wentThrough('r', 'refund', 300)]);
    await log.add('pay_1', [cameBack('r', 'refund', 300), cameBack('c', 'capture', 1_000)], DAY_ONE + DAY_MS);
    expect(linesOf(await documents(log))).to.deep.equal([
      '2026-11-21 authorized 1×1000',
      '2026-11-21 captured 1×1000',
      '2026-11-21 refunded 1×300',
      '2026-11-22 captureReturned 1×1000',
      '2026-11-22 refundReturned 1×300',
    ]);
  });

  it('count nothing of a capture that came too late, of its reversal, or of what came back of either', async () => {
    const evidence = { source: 'notification' } as const;
    const late: PaymentEvent = {
      type: 'LateSuccessRecorded',
      data: {
        attemptId: id('c'),
        evidence,
        operation: 'capture',
        processorTransactionId: 'tx_c',
        amount: 400,
        currencyCode: 'EUR',
        ...place,
      },
    };
    const reversal = refundRequested('c-back', 400, 'c');
    if (reversal.type !== 'RefundRequested') throw new Error(reversal.type);
    const follows = { attemptId: id('c'), because: 'late_success' } as const;
    await log.add('pay_1', [
      ...authorized,
      captureRequested('c', 400),
      late,
      { ...reversal, data: { ...reversal.data, follows } },
      wentThrough('c-back', 'refund', 400),
      cameBack('c-back', 'refund', 400),
      cameBack('c', 'capture', 400),
    ]);
    expect(linesOf(await documents(log))).to.deep.equal(['2026-11-21 authorized 1×1000']);
  });

  it('count a payment as declined once, where an issuer had asked for a second attempt', async () => {
    const first = wasDeclined('a', 'authorization');
    if (first.type !== 'AuthorizationDeclined') throw new Error(first.type);
    const again: PaymentEvent = {
      ...authorizationRequested,
      data: { ...authorizationRequested.data, attemptId: id('a-3ds') },
    };
    await log.add('pay_1', [
      ...pending,
      { ...first, data: { ...first.data, amount: 1_000, currencyCode: 'EUR', retriedAs: id('a-3ds') } },
      again,
      { ...first, data: { ...first.data, attemptId: id('a-3ds'), amount: 1_000, currencyCode: 'EUR' } },
    ]);
    expect(linesOf(await documents(log))).to.deep.equal(['2026-11-21 declined 1×1000']);
  });

  it('count amounts that are no longer held, by a void or by its expiry', async () => {
    await log.add('pay_1', [...authorized, cancellationRequested('v'), wentThrough('v', 'cancellation', 1_000)]);
    expect(linesOf(await documents(log))).to.deep.equal([
      '2026-11-21 authorized 1×1000',
      '2026-11-21 cancelled 1×1000',
    ]);
  });

  it('count a dispute when it is opened', async () => {
    await log.add('pay_1', [...settled, opened('dis_1', 250)]);
    expect(linesOf(await documents(log))).to.include('2026-11-21 disputed 1×250');
  });
});

type Step =
  | { readonly ask: 'capture' | 'refund' | 'adjust'; readonly amount: number }
  | { readonly ask: 'cancel' | 'expire' }
  | { readonly ask: 'dispute'; readonly amount: number; readonly currencyCode: string }
  | {
      readonly ask: 'end';
      readonly which: number;
      readonly as: 'DisputeAccepted' | 'DisputeWon' | 'DisputeLost' | 'DisputeExpired';
    }
  | {
      readonly ask: 'settle' | 'return';
      readonly which: number;
      readonly outcome: Outcome | NotFound | 'done' | 'wrongly';
      readonly by: Source;
    };
type Source = 'answer' | 'lookup' | 'notification' | 'operator';
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      ask: fc.constantFrom('capture', 'refund', 'adjust'),
      amount: fc.constantFrom(1, 100, 200, 400, 1_000, 1_300),
    }),
  },
  { weight: 1, arbitrary: fc.record({ ask: fc.constantFrom('cancel', 'expire') }) },
  {
    weight: 1,
    arbitrary: fc.record({
      ask: fc.constant('dispute'),
      amount: fc.constantFrom(1, 400, 1_000, 1_300),
      currencyCode: fc.constantFrom('EUR', 'EUR', 'USD'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      ask: fc.constant('end'),
      which: fc.nat({ max: 3 }),
      as: fc.constantFrom('DisputeAccepted', 'DisputeWon', 'DisputeLost', 'DisputeExpired'),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      ask: fc.constantFrom('settle', 'settle', 'settle', 'return'),
      which: fc.nat({ max: 8 }),
      outcome: fc.constantFrom<Outcome | NotFound | 'done' | 'wrongly'>('done', 'done', 'done', 'wrongly', declined, {
        kind: 'not_found',
      }),
      by: fc.constantFrom<Source>('answer', 'lookup', 'notification', 'operator'),
    }),
  },
);

function decisionOf(
  one: Step,
  before: Payment,
  index: number,
): ((state: Payment) => Decision<PaymentEvent>) | undefined {
  if (!isKnown(before)) return undefined;
  const timing = { at: AT + index, sendBy: AT + index, callEndsAt: AT + index + 30_000 };
  const fresh = { attemptId: id(`s${index}`), ...timing };
  switch (one.ask) {
    case 'capture':
      return requestCapture({ ...fresh, amount: one.amount, final: one.amount % 2 === 0 });
    case 'refund':
      return requestRefund({ ...fresh, refundId: `ref_${index}`, amount: one.amount });
    case 'adjust':
      return requestAdjustment({ ...fresh, amount: one.amount });
    case 'cancel':
      return requestCancellation(fresh);
    case 'expire':
      return expireAuthorization({
        attemptId: authorizationOf(before)?.attemptId ?? '',
        evidence: { source: 'notification' },
      });
    case 'dispute': {
      const { amount, currencyCode } = one;
      return () => accept(opened(`dis_${index}`, amount, currencyCode));
    }
    case 'end': {
      const dispute = before.disputes[one.which % before.disputes.length];
      if (dispute === undefined) return undefined;
      return () =>
        accept({ type: one.as, data: { disputeId: dispute.disputeId, evidence: { source: 'notification' } } });
    }
    case 'settle':
    case 'return': {
      const chosen = before.attempts.toReversed()[one.which % before.attempts.length];
      if (chosen === undefined) return undefined;
      const { attemptId, reference, amount, operation } = chosen;
      if (one.ask === 'return') return recordReturn({ attemptId, amount, evidence: { source: 'notification' } });
      const less = one.outcome === 'wrongly' || (operation === 'capture' && one.which % 3 === 0) ? 1 : 0;
      const outcome: Outcome | NotFound =
        typeof one.outcome === 'object'
          ? one.outcome
          : {
              kind: 'succeeded',
              processorTransactionId: one.by === 'operator' ? reference : `tx_${attemptId}`,
              amount: Math.max(0, amount - less),
              currencyCode: 'EUR',
            };
      return settleAttempt({ attemptId, outcome, evidence: evidenceOf(one, index), source: one.by, ...timing });
    }
    default:
      return one satisfies never;
  }
}

/** Some are dated by the processor, before or after what is on record. */
const evidenceOf = ({ by, which }: Extract<Step, { readonly by: Source }>, index: number): Evidence =>
  by === 'notification' && which % 2 === 0
    ? { source: by, occurredAt: DAY_ONE + ((index + which - 3) * DAY_MS) / 4 }
    : { source: by };

const BEGINNINGS = [pending, estimated, partlySettled, settled];

interface History {
  readonly begins: readonly PaymentEvent[];
  readonly steps: readonly Step[];
}

const history: fc.Arbitrary<History> = fc.record({
  begins: fc.constantFrom<readonly PaymentEvent[]>(...BEGINNINGS),
  steps: fc.array(step, { maxLength: 25 }),
});

/** The facts of a history, a quarter of a day between its steps. */
function factsOf({
  begins,
  steps,
}: History): readonly { readonly facts: readonly PaymentEvent[]; readonly at: number }[] {
  const appended: { readonly facts: readonly PaymentEvent[]; readonly at: number }[] = [];
  let state = payment.initial;
  let revision = -1;
  const append = (facts: readonly PaymentEvent[], at: number): void => {
    for (const fact of facts) {
      revision += 1;
      state = payment.evolve(state, fact, { id: `e${revision}`, revision, at });
    }
    appended.push({ facts, at });
  };
  append(begins, DAY_ONE);
  for (const [index, one] of steps.entries()) {
    const decision = decisionOf(one, state, index)?.(state);
    if (decision?.kind === 'accepted') append(decision.events, DAY_ONE + (index * DAY_MS) / 4);
  }
  return appended;
}

describe('the days of payments, whatever happened to them', () => {
  it('sum up to the payments as they are now', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(history, { minLength: 1, maxLength: 3 }), async (histories) => {
        const log = new PaymentLog();
        for (const [n, one] of histories.entries()) {
          for (const { facts, at } of factsOf(one)) await log.add(`pay_${n}`, facts, at);
        }
        const projections = await projected(log);
        const found = await dailyBooks(
          {
            events: log.events,
            readModels: projections.readModels,
            positions: () => projections.positions(),
            parked: (name) => projections.parked(name),
          },
          new AbortController().signal,
        );
        expect(found.differences).to.deep.equal([]);
        expect(found.payments).to.equal(histories.length);
        // The overview's figures are the same sums, by the day and by the hour.
        const read = readOverview(projections.readModels);
        const hourly = await projections.readModels.find(dailyTotals, {
          where: { hour: { from: '' } },
          limit: 1_000,
        });
        for (const { currencyCode, days } of found.books) {
          const { sums, points } = await read(
            'acc_1',
            DAY_ONE,
            DAY_ONE + 30 * DAY_MS,
            DAY_ONE + 40 * DAY_MS,
            currencyCode,
          );
          for (const measure of measures) {
            const sum = (all: readonly Readonly<Record<Measure, Counted>>[]) =>
              all.reduce<Sum>((total, one) => plus(total, one[measure].amount), 0);
            expect(sums[measure]).to.deep.equal(days[measure]);
            expect(sum(points)).to.equal(days[measure].amount);
            expect(sum(hourly.map(({ doc }) => doc).filter((doc) => doc.currencyCode === currencyCode))).to.equal(
              days[measure].amount,
            );
          }
        }
      }),
      { numRuns: 200 },
    );
  });

  it('are drawn from histories that reach the rare facts', () => {
    // A fixed seed: whether a rare fact is drawn must not be a matter of luck.
    const drawn = fc.sample(history, { seed: 1, numRuns: 2_000 }).flatMap(factsOf);
    expect([...new Set(drawn.flatMap(({ facts }) => facts.map(({ type }) => type)))]).to.include.members([
      'AuthorizationAdjusted',
      'CaptureReturned',
      'RefundReturned',
      'LateSuccessRecorded',
      'SuccessConfirmed',
      'OutcomeRepeated',
      'DisputeWon',
      'DisputeLost',
    ]);
  });
});
