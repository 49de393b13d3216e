// The overview's figures: the period and the previous one, by the day or by the hour, in one currency, with the
// authorization times.
import { expect } from 'chai';
import type { PaymentEvent } from '../../src/domain/payment/events.ts';
import { openProjections } from '../../src/projections/engine/engine.ts';
import { dailyTotals } from '../../src/projections/models/daily-totals.ts';
import { bothWaits, waitAt, withWait } from '../../src/projections/models/waiting-times.ts';
import { type OverviewFigures, readDaysShown, readOverview } from '../../src/queries/overview.ts';
import { memoryReadModels } from '../../src/stores/memory/read-models.ts';
import type { ReadModels } from '../../src/stores/read-models.ts';
import { actionRequired, authorized, pending, settled, wasDeclined, wentThrough } from '../domain/payment/story.ts';
import { DAY_MS, DAY_ONE, PaymentLog } from '../projections/models/payment-log.ts';
import { calmWorld } from '../support/calm-world.ts';

const HOUR_MS = 3_600_000;
const refusal = wasDeclined('a', 'authorization');
if (refusal.type !== 'AuthorizationDeclined') throw new Error(refusal.type);
const declined: readonly PaymentEvent[] = [
  ...pending,
  { ...refusal, data: { ...refusal.data, amount: 1_000, currencyCode: 'EUR' } },
];

async function readModelsOf(log: PaymentLog): Promise<ReadModels> {
  const { readModels } = await openProjections({
    events: log.events,
    readModels: memoryReadModels(),
    world: calmWorld,
    report: (fault) => expect.fail(String(fault)),
    projections: [dailyTotals],
  });
  return readModels;
}

const overviewOf = async (
  log: PaymentLog,
  ...asked: [from: number, to: number, now: number, currency?: string]
): Promise<OverviewFigures> => readOverview(await readModelsOf(log))('acc_1', ...asked);

describe('the overview', () => {
  it('has a point for every day that has begun, and the declines by their codes', async () => {
    const log = new PaymentLog();
    await log.add('pay_1', settled, DAY_ONE);
    await log.add('pay_2', declined, DAY_ONE + 2 * DAY_MS);
    await log.add('pay_3', authorized, DAY_ONE - 6 * DAY_MS);
    await log.add('pay_4', authorized, DAY_ONE - DAY_MS);
    const found = await overviewOf(log, DAY_ONE, DAY_ONE + 6 * DAY_MS, DAY_ONE + 3 * DAY_MS + HOUR_MS);
    expect(found.resolution).to.equal('day');
    expect(found.points.map(({ captured, declined: { count } }) => [captured.amount, count])).to.deep.equal([
      [1_000, 0],
      [0, 0],
      [0, 1],
      [0, 0],
    ]);
    expect(found.declines.map(({ code, count }) => `${code} ${count}`)).to.deep.equal(['GENERIC_DECLINE 1']);
    expect([found.sums.authorized.count, found.sums.declined.count, found.before.authorized.count]).to.deep.equal([
      1, 1, 1,
    ]);
    expect(found.currencyCodes).to.deep.equal(['EUR']);
  });

  it('has the hours of one or two days, and compares with the same hours before', async () => {
    const log = new PaymentLog();
    await log.add('pay_1', settled, DAY_ONE + 9 * HOUR_MS);
    await log.add('pay_2', settled, DAY_ONE - DAY_MS + 8 * HOUR_MS);
    await log.add('pay_3', settled, DAY_ONE - DAY_MS + 20 * HOUR_MS);
    const found = await overviewOf(log, DAY_ONE, DAY_ONE, DAY_ONE + 10.5 * HOUR_MS);
    expect(found.resolution).to.equal('hour');
    expect(found.points.map(({ captured: { count } }) => count)).to.deep.equal([0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0]);
    expect(found.before.captured.count).to.equal(1);
  });

  it('is of one currency, and says whether the account has ever had a payment', async () => {
    const log = new PaymentLog();
    const none = await overviewOf(log, DAY_ONE, DAY_ONE, DAY_ONE);
    expect([none.currencyCode, none.hasFacts]).to.deep.equal([undefined, false]);
    await log.add('pay_1', settled, DAY_ONE);
    const other = await overviewOf(log, DAY_ONE, DAY_ONE, DAY_ONE, 'USD');
    expect([other.sums.captured.count, other.hasFacts]).to.deep.equal([0, true]);
    const later = await overviewOf(log, DAY_ONE + 90 * DAY_MS, DAY_ONE + 91 * DAY_MS, DAY_ONE + 95 * DAY_MS);
    expect([later.currencyCode, later.hasFacts]).to.deep.equal([undefined, true]);
  });

  it('is of a week, but of the first days of an account that is younger than two', async () => {
    const log = new PaymentLog();
    const daysShown = async (last: number): Promise<number> => readDaysShown(await readModelsOf(log))('acc_1', last);
    expect(await daysShown(DAY_ONE)).to.equal(7);
    await log.add('pay_1', settled, DAY_ONE + 9 * HOUR_MS);
    const later = [DAY_ONE - DAY_MS, DAY_ONE, DAY_ONE + DAY_MS, DAY_ONE + 2 * DAY_MS];
    expect(await Promise.all(later.map(daysShown))).to.deep.equal([7, 1, 2, 7]);
  });

  it('leaves out of the time to authorize those for which the customer had to act, and nothing else', async () => {
    const log = new PaymentLog();
    await log.add('pay_1', authorized);
    await log.add('pay_2', [...pending, actionRequired, wentThrough('a', 'authorization', 1_000)], DAY_ONE + HOUR_MS);
    const { sums } = await overviewOf(log, DAY_ONE, DAY_ONE, DAY_ONE + 2 * HOUR_MS);
    expect(sums.authorized.count).to.equal(2);
    expect(sums.waits.reduce((count, one) => count + one, 0)).to.equal(1);
  });

  it('knows how long authorizations took, to within a fifth', () => {
    const times = [20, 40, 90, 180, 400, 800, 1_500, 3_000, 7_000, 25_000];
    const waits = times.reduce(withWait, []);
    expect(waitAt(waits, 0.5)).to.be.within(400 * 0.8, 400 * 1.25);
    expect(waitAt(waits, 0.95)).to.be.within(25_000 * 0.8, 25_000 * 1.25);
    expect(waitAt(bothWaits(waits, [1_000]), 0.5)).to.be.at.most(10);
    expect(waitAt([], 0.5)).to.equal(undefined);
    expect(waitAt(withWait([], 1e12), 0.5)).to.be.greaterThan(1e7);
  });
});
