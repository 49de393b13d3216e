// A payment of the past in the dashboard's API: after each of its events, and why, with the names of users.
import { expect } from 'chai';
import { z } from 'zod';
import { type Dashboard, openDashboard } from '../../support/dashboard.ts';
import { type Shop, shopOf } from '../../support/dashboard-shop.ts';

const Then = z.object({
  detail: z.looseObject({
    payment: z.looseObject({
      status: z.string(),
      version: z.number(),
      processor: z.looseObject({ amountCaptured: z.number() }),
    }),
    possible: z.object({
      captureUpTo: z.number(),
      refundUpTo: z.number(),
      canCancel: z.boolean(),
      canAdjust: z.boolean(),
    }),
  }),
  recordedAt: z.string(),
});
const Why = z.object({
  data: z.array(z.looseObject({ words: z.string(), by: z.looseObject({ name: z.string().optional() }) })),
});

describe('a payment of the past in the dashboard', () => {
  let dashboard: Dashboard;
  let shop: Shop;
  before(async () => {
    dashboard = await openDashboard();
    shop = shopOf(dashboard);
  });
  after(() => dashboard.close());

  const then = (id: string, revision: number) =>
    dashboard.ask('auditor', 'GET', `/dashboard/api/payments/${id}/after/${revision}`);

  it('is told after each of its events, and nothing can be asked of it', async () => {
    const { id, version } = await shop.captured();
    const told: unknown[] = [];
    for (let revision = 1; revision <= version; revision += 1) {
      const answer = await then(id, revision);
      expect(answer.status, answer.text).to.equal(200);
      const { detail } = Then.parse(answer.body);
      expect(detail.possible).to.deep.equal({ captureUpTo: 0, refundUpTo: 0, canCancel: false, canAdjust: false });
      told.push([detail.payment.version, detail.payment.status, detail.payment.processor.amountCaptured]);
    }
    expect(told).to.deep.equal([
      [1, 'PENDING', 0],
      [2, 'AUTHORIZED', 0],
      [3, 'AUTHORIZED', 0],
      [4, 'SETTLED', 5_490],
    ]);
    expect((await then(id, 0)).status).to.equal(404); // it is recorded together with the request of its authorization
    expect((await then('pay_none', 1)).status).to.equal(404);
  });

  it('names the users of the account in its chain', async () => {
    const { id } = await shop.captured();
    await dashboard.ask('support', 'POST', `/dashboard/api/payments/${id}/refund`, { amount: 1_000 });
    const { data } = Why.parse((await dashboard.ask('auditor', 'GET', `/dashboard/api/payments/${id}/why`)).body);
    expect(data.map(({ words }) => words).join(' ')).to.include(
      'The user support@example.org asked to refund 10.00 EUR',
    );
  });
});
