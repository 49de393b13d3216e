// GET /events: the messages of an account in commit order, to catch up with (contract §8).
import { expect } from 'chai';
import { z } from 'zod';
import { bodyOf, CARDS } from '../support/http-merchant.ts';
import { type HttpService, serveHttp } from '../support/http-service.ts';
import { until } from '../support/until.ts';

const Page = z.object({
  data: z.array(
    z.looseObject({
      eventId: z.string(),
      eventType: z.string(),
      sequence: z.number(),
      payment: z.looseObject({ id: z.string(), status: z.string() }),
    }),
  ),
  nextCursor: z.string().optional(),
});

describe('GET /events', () => {
  let http: HttpService;
  before(async () => {
    http = await serveHttp({ sandboxInMemory: true });
  });
  after(() => http.stop());

  const page = async (query = '') => bodyOf(await http.shop.ask('GET', `/events${query}`), Page);
  const told = async (query = '') =>
    (await page(query)).data.map(({ eventType, payment }) => `${eventType} ${payment.status}`);

  it('lists the outcomes of payments, oldest first, each with the payment as it was', async () => {
    const settled = await http.shop.captured();
    await http.shop.ask('POST', `/payments/${settled.id}/refund`, { amount: 100 });
    await http.shop.pay({ card: CARDS.declined });
    await until(async () => (await page()).data.length === 4);
    expect(await told()).to.deep.equal([
      'PAYMENT.STATUS AUTHORIZED',
      'PAYMENT.STATUS SETTLED',
      'PAYMENT.REFUND SETTLED',
      'PAYMENT.STATUS DECLINED',
    ]);
    const { data } = await page();
    expect(data.every((message) => !('previousSequence' in message))).to.equal(true);
  });

  it('goes on after an event, page by page', async () => {
    const { data: all } = await page();
    const first = await page(`?after=${all[0]?.eventId}&limit=2`);
    expect(first.data.map(({ eventId }) => eventId)).to.deep.equal(all.slice(1, 3).map(({ eventId }) => eventId));
    const second = await page(`?after=${all[0]?.eventId}&limit=2&cursor=${first.nextCursor}`);
    expect(second.data.map(({ eventId }) => eventId)).to.deep.equal(all.slice(3).map(({ eventId }) => eventId));
    expect(second).to.not.have.property('nextCursor');
  });

  it('lists a pending payment once its authorization has a first report', async () => {
    const before = (await page()).data.at(-1)?.eventId;
    await http.shop.paid({ card: CARDS.pendingForEver });
    await until(async () => (await told(`?after=${before}`)).length > 0);
    expect(await told(`?after=${before}`)).to.deep.equal(['PAYMENT.STATUS PENDING']);
  });

  it('lists a refused refund and a refused capture', async () => {
    const before = (await page()).data.at(-1)?.eventId;
    const refused = await http.shop.captured({ card: CARDS.refundDeclined });
    await http.shop.ask('POST', `/payments/${refused.id}/refund`, {});
    const second = await http.shop.paid({ card: CARDS.secondCaptureDeclined });
    await http.shop.ask('POST', `/payments/${second.id}/capture`, { amount: 100, final: false });
    await http.shop.ask('POST', `/payments/${second.id}/capture`, { amount: 100, final: false });
    await until(async () => (await told(`?after=${before}`)).length >= 6);
    expect(await told(`?after=${before}`)).to.deep.equal([
      'PAYMENT.STATUS AUTHORIZED',
      'PAYMENT.STATUS SETTLED',
      'PAYMENT.REFUND.FAILED SETTLED',
      'PAYMENT.STATUS AUTHORIZED',
      'PAYMENT.STATUS PARTIALLY_SETTLED',
      'PAYMENT.CAPTURE.FAILED PARTIALLY_SETTLED',
    ]);
  });

  it('knows the events of its own account alone', async () => {
    const { data } = await page();
    const foreign = await http.other.ask('GET', `/events?after=${data[0]?.eventId}`);
    expect(foreign.status).to.equal(400);
    expect(foreign.error?.errorId).to.equal('InvalidCursor');
    expect(bodyOf(await http.other.ask('GET', '/events'), Page).data).to.deep.equal([]);
  });

  it('answers InvalidCursor to an `after` that no event can have', async () => {
    for (const after of ['x', '', 'evt_', 'evt_x', 'a'.repeat(1_024), encodeURIComponent('’')]) {
      const refused = await http.shop.ask('GET', `/events?after=${after}`);
      expect([refused.status, refused.error?.errorId], after).to.deep.equal([400, 'InvalidCursor']);
    }
  });
});
