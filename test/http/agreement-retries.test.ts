// Declined periods that the service tries again, and what the card networks allow (contract §14).
import { expect } from 'chai';
import { z } from 'zod';
import { retryDeclinedCharges } from '../../src/policies/due-work.ts';
import { runDue } from '../../src/policies/policy.ts';
import { formatTime } from '../../src/world.ts';
import { agreementOf, firstPayment } from '../support/agreement-made.ts';
import { bodyOf } from '../support/http-merchant.ts';
import { type HttpService, serveHttp } from '../support/http-service.ts';
import { wholeLedger } from '../support/whole-ledger.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NO_FUNDS = '4000009900005045';
const STOPPED_FOR_ALL = '4000009900005078';
const STOLEN = '4000009900005086';
const NEW_DETAILS = '5100099900005018';
const IN_72_HOURS = '5100099900005026';
const NEVER_AGAIN = '5100099900005034';
const CANCELLED = '5100099900005042';
const IN_AN_HOUR = '5100099900005059';

const Period = z.looseObject({
  periodKey: z.string(),
  paymentId: z.string(),
  tries: z.number(),
  claimedAt: z.string(),
  notBefore: z.string().optional(),
  retryAt: z.string().optional(),
  retryRefused: z.string().optional(),
  because: z.string().optional(),
});
const Agreement = z.looseObject({ status: z.string(), periods: z.array(Period).default([]) });
const TOP_UPS = {
  kind: 'UNSCHEDULED',
  terms: { amountRule: 'VARIABLE', currencyCode: 'EUR', description: 'Top-ups' },
};

describe('declined periods', () => {
  let http: HttpService;
  before(async () => {
    http = await serveHttp({ sandboxInMemory: true });
  });
  after(() => http.stop());

  const open: string[] = [];
  const made = async (card: string, fields: object = {}, customerId?: string): Promise<string> => {
    const id = await agreementOf(http, await firstPayment(http, customerId, { card }), fields);
    open.push(id);
    return id;
  };
  /** No test does the work of an earlier one. */
  afterEach(async () => {
    for (const id of open.splice(0)) await http.shop.ask('POST', `/agreements/${id}/cancel`, {});
  });
  const charge = (id: string, periodKey: string, fields: object = {}) =>
    http.shop.ask('POST', `/agreements/${id}/charges`, { periodKey, orderId: `order-${periodKey}`, ...fields });
  const read = async (id: string) => bodyOf(await http.shop.ask('GET', `/agreements/${id}`), Agreement);
  const periodOf = async (id: string, periodKey = 'p') => {
    const period = (await read(id)).periods.find((one) => one.periodKey === periodKey);
    if (period === undefined) expect.fail(`${periodKey} is listed`);
    return period;
  };
  /** A time so long after the newest try of the period began. */
  const since = async (id: string, ms: number, periodKey?: string): Promise<string> =>
    formatTime(Date.parse((await periodOf(id, periodKey)).claimedAt) + ms);
  const doDue = () => runDue(retryDeclinedCharges(http.service.work), http.service.readModels, http.service.work);
  const authorizations = async (): Promise<number> =>
    (await wholeLedger(http.stores.sandbox)).filter(({ operation }) => operation === 'authorization').length;

  it('are tried again by the service when they are due, with the same order and its fields', async () => {
    const id = await made(NO_FUNDS, { retry: { policy: 'DAYS', days: [2, 4] } });
    const order = { lineItems: [{ itemId: 'a', description: 'Magazine', amount: 1_900, quantity: 1 }] };
    await charge(id, 'p', { metadata: { issue: 12 }, descriptor: 'MAGAZINE', order, captureMode: 'MANUAL' });
    const first = await periodOf(id);
    expect(first.retryAt).to.equal(await since(id, 2 * DAY_MS));
    http.world.advance(2 * DAY_MS - 60_000);
    expect(await doDue()).to.equal(0);
    http.world.advance(60_000);
    expect(await doDue()).to.equal(1);
    const second = await periodOf(id);
    expect(second).to.include({ tries: 2, outcome: 'DECLINED' });
    expect(second.paymentId).to.not.equal(first.paymentId);
    expect(second.retryAt).to.equal(await since(id, 4 * DAY_MS));
    const { body } = await http.shop.ask('GET', `/payments/${second.paymentId}`);
    expect(body).to.deep.include({ orderId: 'order-p', metadata: { issue: 12 }, agreementId: id, periodKey: 'p' });
    expect(body).to.have.nested.property('order.lineItems[0].description', 'Magazine');
    expect(body).to.have.nested.property('paymentMethod.descriptor', 'MAGAZINE');
    http.world.advance(4 * DAY_MS);
    expect(await doDue()).to.equal(1);
    expect((await periodOf(id)).retryAt).to.equal(undefined);
    expect((await periodOf(id)).tries).to.equal(3);
    expect(await doDue()).to.equal(0);
  });

  it('are tried once when the job and two nodes meet', async () => {
    const id = await made(NO_FUNDS, { retry: { policy: 'ADVISED' } });
    await charge(id, 'p');
    http.world.advance(DAY_MS);
    const before = await authorizations();
    await Promise.all([doDue(), doDue(), charge(id, 'p'), charge(id, 'p')]);
    expect((await authorizations()) - before).to.equal(1);
    expect((await periodOf(id)).tries).to.equal(2);
  });

  it('are tried as planned now, whatever an older document says', async () => {
    const id = await made(NO_FUNDS, { retry: { policy: 'DAYS', days: [1, 30] } });
    await charge(id, 'p');
    const { body } = await http.shop.ask('GET', `/agreements/${id}`);
    const { version } = z.looseObject({ version: z.number() }).parse(body);
    http.world.advance(DAY_MS);
    await doDue();
    http.world.advance(2 * DAY_MS);
    const older = { id, revision: version, accountId: http.shop.accountId };
    await http.service.payments.retryCharges(older, 'retry-charges');
    expect((await periodOf(id)).tries).to.equal(2);
  });

  it('wait while their agreement is paused', async () => {
    const id = await made(NO_FUNDS, { retry: { policy: 'ADVISED' } });
    await charge(id, 'p');
    await http.shop.ask('POST', `/agreements/${id}/pause`, {});
    http.world.advance(DAY_MS);
    expect(await doDue()).to.equal(0);
    await http.shop.ask('POST', `/agreements/${id}/resume`, {});
    expect(await doDue()).to.equal(1);
    expect((await periodOf(id)).tries).to.equal(2);
  });

  it('are given up once they are outside the terms, and say so', async () => {
    const endsAt = formatTime(http.world.now() + DAY_MS + 1_000);
    const id = await made(NO_FUNDS, {
      ...TOP_UPS,
      terms: { ...TOP_UPS.terms, endsAt },
      retry: { policy: 'DAYS', days: [1] },
    });
    await charge(id, 'p', { amount: 100 });
    expect((await periodOf(id)).retryAt).to.be.a('string');
    http.world.advance(DAY_MS + 2_000);
    expect(await doDue()).to.equal(1);
    expect(await periodOf(id)).to.include({ tries: 1, retryRefused: 'OUTSIDE_TERMS' });
    expect(await doDue()).to.equal(0);
  });

  it('are given up where the payment method was deleted', async () => {
    const first = await firstPayment(http, undefined, { card: NO_FUNDS });
    const id = await agreementOf(http, first, { retry: { policy: 'ADVISED' } });
    await charge(id, 'p');
    const token = z
      .looseObject({ paymentMethodToken: z.string() })
      .parse((await http.shop.ask('GET', `/agreements/${id}`)).body);
    const deleted = await http.shop.ask('DELETE', `/payment-instruments/${token.paymentMethodToken}`);
    expect(deleted.status, deleted.text).to.equal(200);
    http.world.advance(DAY_MS);
    await doDue();
    expect(await periodOf(id)).to.include({ tries: 1, retryRefused: 'NOT_POSSIBLE' });
  });

  for (const [card, waitMs] of [
    [IN_AN_HOUR, HOUR_MS],
    [IN_72_HOURS, 72 * HOUR_MS],
  ] as const)
    it(`wait ${waitMs / HOUR_MS} h where the network says so`, async () => {
      const id = await made(card, { retry: { policy: 'ADVISED' } });
      await charge(id, 'p');
      const at = await since(id, waitMs);
      expect(await periodOf(id)).to.include({ notBefore: at, retryAt: at, because: 'NETWORK_ADVICE' });
      const early = await charge(id, 'p');
      expect(early.error).to.include({ errorId: 'RetryNotAllowed', notBefore: at, because: 'NETWORK_ADVICE' });
      http.world.advance(waitMs);
      await doDue();
      expect((await periodOf(id)).tries).to.equal(2);
    });

  for (const [card, status, action] of [
    [NEW_DETAILS, 'SUSPENDED', 'NEW_INSTRUMENT'],
    [NEVER_AGAIN, 'SUSPENDED', 'NEW_INSTRUMENT'],
    [STOLEN, 'SUSPENDED', 'NEW_INSTRUMENT'],
    [CANCELLED, 'REVOKED', undefined],
    [STOPPED_FOR_ALL, 'REVOKED', undefined],
  ] as const)
    it(`of ${card} leave the agreement ${status}`, async () => {
      const id = await made(card, { retry: { policy: 'ADVISED' } });
      await charge(id, 'p');
      expect(await read(id)).to.deep.include({ status, ...(action !== undefined && { action }) });
      expect((await periodOf(id)).retryAt).to.equal(undefined);
    });

  it('are the end of a card for every agreement, where the network says so', async () => {
    const customerId = 'customer-of-two';
    const first = await made(NEVER_AGAIN, TOP_UPS, customerId);
    const second = await made(NEVER_AGAIN, { ...TOP_UPS, retry: { policy: 'ADVISED' } }, customerId);
    const paid = bodyOf(await charge(first, 'p', { amount: 100 }), z.looseObject({ id: z.string() }));
    const before = await authorizations();
    const refused = await charge(second, 'q', { amount: 200 });
    expect(refused.status).to.equal(409);
    expect(refused.error).to.include({
      errorId: 'RetryNotAllowed',
      because: 'NETWORK_FORBIDS',
      paymentId: paid.id,
    });
    expect(refused.error).to.not.have.any.keys('notBefore');
    expect(await authorizations()).to.equal(before);
    expect((await read(second)).periods).to.deep.equal([]);
  });

  it('fill the limit of the network over all agreements with a card, and wait until it has room', async () => {
    const customerId = 'customer-of-many';
    const ids = [await made(NO_FUNDS, TOP_UPS, customerId), await made(NO_FUNDS, TOP_UPS, customerId)] as const;
    for (let number = 0; number < 20; number += 1) {
      const { status } = await charge(ids[number % 2 === 0 ? 0 : 1], `p-${number}`, { amount: 700 });
      expect(status).to.equal(200);
      http.world.advance(HOUR_MS);
    }
    const before = await authorizations();
    const refused = await charge(ids[0], 'one-more', { amount: 700 });
    expect(refused.error).to.include({
      errorId: 'RetryNotAllowed',
      because: 'NETWORK_LIMIT',
      notBefore: await since(ids[0], 30 * DAY_MS, 'p-0'),
    });
    expect(await authorizations()).to.equal(before);
    expect((await charge(ids[0], 'other-amount', { amount: 701 })).status).to.equal(200);
    http.world.advance(30 * DAY_MS - 20 * HOUR_MS);
    expect((await charge(ids[0], 'one-more', { amount: 700 })).status).to.equal(200);
  });

  it('that are planned wait for the limit, too', async () => {
    const customerId = 'customer-of-a-limit';
    const id = await made(NO_FUNDS, { ...TOP_UPS, retry: { policy: 'DAYS', days: [1] } }, customerId);
    const other = await made(NO_FUNDS, TOP_UPS, customerId);
    await charge(id, 'p', { amount: 800 });
    for (let number = 0; number < 19; number += 1) await charge(other, `q-${number}`, { amount: 800 });
    http.world.advance(DAY_MS);
    await doDue();
    const notBefore = await since(id, 30 * DAY_MS);
    expect(await periodOf(id)).to.include({ tries: 1, retryAt: notBefore, notBefore, because: 'NETWORK_LIMIT' });
    http.world.advance(29 * DAY_MS);
    await doDue();
    expect((await periodOf(id)).tries).to.equal(2);
  });
});
