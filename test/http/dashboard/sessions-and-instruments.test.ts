// The dashboard's client sessions and payment instruments over HTTP: newest first, one, and never a token of a session
// or a card's number.
import { expect } from 'chai';
import { z } from 'zod';
import { type Dashboard, openDashboard } from '../../support/dashboard.ts';
import { type Shop, shopOf } from '../../support/dashboard-shop.ts';
import { CARDS } from '../../support/http-merchant.ts';
import { until } from '../../support/until.ts';

const Session = z.looseObject({ id: z.string(), status: z.string(), orderId: z.string().optional() });
const Sessions = z.strictObject({ data: z.array(Session), nextCursor: z.string().optional() });
const SessionDetail = z.looseObject({
  summary: Session,
  fields: z.looseObject({}),
  payments: z.array(z.looseObject({ id: z.string() })),
});
const Instruments = z.strictObject({
  data: z.array(z.looseObject({ token: z.string(), customerId: z.string().optional() })),
  nextCursor: z.string().optional(),
});

describe("the dashboard's client sessions and instruments", () => {
  let dashboard: Dashboard;
  let shop: Shop;
  before(async () => {
    dashboard = await openDashboard();
    shop = shopOf(dashboard);
  });
  after(() => dashboard.close());

  const read = async <Body>(path: string, shape: z.ZodType<Body>): Promise<Body> =>
    shape.parse((await dashboard.ask('support', 'GET', `/dashboard/api${path}`)).body);

  it('lists sessions newest first, page by page, with how each stands', async () => {
    await shop.session({ orderId: 'open', customerId: 'ada' });
    const { id } = await shop.paid({ session: { orderId: 'paid' } });
    await shop.paid({ session: { orderId: 'declined' }, card: CARDS.declined });
    const first = await read('/client-sessions?limit=2', Sessions);
    const second = await read(`/client-sessions?limit=2&cursor=${first.nextCursor}`, Sessions);
    const all = [...first.data, ...second.data];
    expect(all.map(({ orderId, status }) => [orderId, status])).to.deep.equal([
      ['declined', 'OPEN'],
      ['paid', 'IN_PAYMENT'],
      ['open', 'OPEN'],
    ]);
    expect(all[1]?.['payment']).to.deep.equal({
      id,
      status: 'AUTHORIZED',
      processor: { amountCaptured: 0, amountRefunded: 0 },
    });
    const ordersOf = async (query: string): Promise<readonly unknown[]> =>
      (await read(`/client-sessions?${query}`, Sessions)).data.map(({ orderId }) => orderId);
    expect(await ordersOf('order_id=paid')).to.deep.equal(['paid']);
    expect(await ordersOf('customer_id=ada')).to.deep.equal(['open']);
    expect(await ordersOf('status=IN_PAYMENT')).to.deep.equal(['paid']);
    expect(await ordersOf('status=OPEN')).to.deep.equal(['declined', 'open']);
    expect(await ordersOf('status=OPEN&customer_id=ada&from_date=2020-01-01T00:00:00Z')).to.deep.equal(['open']);
    expect(await ordersOf('status=EXPIRED')).to.deep.equal([]);
    expect(await ordersOf('to_date=2020-01-01T00:00:00Z')).to.deep.equal([]);
  });

  it('counts sessions, turns their order, and exports all or the chosen ones of them', async () => {
    const customerId = 'counted';
    await shop.session({ orderId: 'counted-1', customerId, amount: 100 });
    await shop.session({ orderId: '=counted-2', customerId, amount: 200 });
    await shop.session({ orderId: 'counted-3', customerId, amount: 700, currencyCode: 'JPY' });
    await shop.session({ customerId, amount: undefined, currencyCode: undefined });
    const totals = await dashboard.ask('auditor', 'GET', `/dashboard/api/client-session-totals?customer_id=counted`);
    expect(totals.body).to.deep.equal({
      count: 4,
      isMore: false,
      currencies: [
        { currencyCode: 'EUR', count: 2, amount: 300 },
        { currencyCode: 'JPY', count: 1, amount: 700 },
      ],
    });
    const first = await read('/client-sessions?customer_id=counted&sort=oldest&limit=2', Sessions);
    expect(first.data.map(({ orderId }) => orderId)).to.deep.equal(['counted-1', '=counted-2']);
    const path = `/client-sessions?customer_id=counted&sort=oldest&limit=2&cursor=${first.nextCursor}`;
    const [third, fourth] = (await read(path, Sessions)).data;
    expect(third?.orderId).to.equal('counted-3');
    const csv = async (query: string): Promise<readonly (readonly string[])[]> => {
      const { text } = await dashboard.ask('support', 'GET', `/dashboard/api/client-sessions.csv?${query}`);
      return text
        .trimEnd()
        .split('\r\n')
        .slice(1)
        .map((line) => line.split(','));
    };
    const all = await csv('customer_id=counted&sort=oldest');
    expect(all.map(([, , , status, order, , currency, amount]) => [status, order, currency, amount])).to.deep.equal([
      ['OPEN', 'counted-1', 'EUR', '1.00'],
      ['OPEN', "'=counted-2", 'EUR', '2.00'],
      ['OPEN', 'counted-3', 'JPY', '700'],
      ['OPEN', 'order-1', '', ''],
    ]);
    const chosen = await csv(`id=${fourth?.id}&id=cs_0123&id=${first.data[0]?.id}`);
    expect(chosen.map(([id]) => id)).to.deep.equal([fourth?.id, first.data[0]?.id]);
    const byDeveloper = await dashboard.ask('developer', 'GET', '/dashboard/api/client-sessions.csv');
    expect(byDeveloper.status).to.equal(403);
  });

  it('says of sessions what the list of payments says: a dispute, and a refund that is not known', async () => {
    const session = (orderId: string) => ({ orderId, customerId: 'derived' });
    const disputed = await shop.captured({ session: session('disputed'), card: '4000000000000259' });
    const refunded = await shop.captured({ session: session('refunded') });
    await shop.captured({ session: session('settled') });
    const rules = [{ match: { operation: 'refund' }, do: { times: 1, phase: 'before_effect', fault: '500' } }];
    await shop.ask('/sandbox/faults', { seed: 1, rules }, undefined, 'PUT');
    const asked = await dashboard.ask(
      'support',
      'POST',
      `/dashboard/api/payments/${refunded.id}/refund`,
      { amount: 100 },
      {
        'x-idempotency-key': 'not known',
      },
    );
    expect(asked.status).to.equal(202);
    const moved = await dashboard.ask('developer', 'POST', '/dashboard/api/sandbox/clock/advance', { byMs: 6_000 });
    expect(moved.status).to.equal(200);
    const said = async (query: string) =>
      (await read(`/client-sessions?customer_id=derived&${query}`, Sessions)).data.map(({ orderId, payment }) => [
        orderId,
        z.looseObject({ derivedStatus: z.string().optional() }).parse(payment).derivedStatus,
      ]);
    await until(async () => (await said('derived_status=DISPUTED')).length > 0);
    await until(async () => (await said('derived_status=REFUND_NOT_KNOWN')).length > 0);
    expect(await said('status=IN_PAYMENT')).to.deep.equal([
      ['settled', undefined],
      ['refunded', 'REFUND_NOT_KNOWN'],
      ['disputed', 'DISPUTED'],
    ]);
    expect(await said('derived_status=DISPUTED')).to.deep.equal([['disputed', 'DISPUTED']]);
    expect(await said('derived_status=DISPUTED&order_id=refunded')).to.deep.equal([]);
    expect(await said('derived_status=DISPUTED&status=OPEN')).to.deep.equal([]);
    expect(await said('derived_status=DISPUTED&to_date=2020-01-01T00:00:00Z')).to.deep.equal([]);
    expect(await said('derived_status=REFUND_NOT_KNOWN&from_date=2020-01-01T00:00:00Z')).to.deep.equal([
      ['refunded', 'REFUND_NOT_KNOWN'],
    ]);
    const totals = await dashboard.ask(
      'auditor',
      'GET',
      '/dashboard/api/client-session-totals?derived_status=DISPUTED',
    );
    expect(totals.body).to.include({ count: 1 });
    const { text } = await dashboard.ask('support', 'GET', '/dashboard/api/client-sessions.csv?customer_id=derived');
    const rows = text.trimEnd().split('\r\n');
    expect(rows[0]).to.match(/,payment_status,payment_derived_status$/);
    expect(rows.slice(1).map((row) => row.split(',').slice(-2))).to.deep.equal([
      ['SETTLED', ''],
      ['SETTLED', 'REFUND_NOT_KNOWN'],
      ['SETTLED', 'DISPUTED'],
    ]);
    const [{ id: sessionId } = { id: '' }] = (await read('/client-sessions?order_id=disputed', Sessions)).data;
    const { summary } = await read(`/client-sessions/${sessionId}`, SessionDetail);
    expect(summary['payment']).to.include({ id: disputed.id, status: 'SETTLED', derivedStatus: 'DISPUTED' });
  });

  it('lists the sessions of disputed payments page by page, in the order of their payments', async () => {
    for (const orderId of ['first', 'second', 'third'])
      await shop.captured({ session: { orderId, customerId: 'pages' }, card: '4000000000000259' });
    const moved = await dashboard.ask('developer', 'POST', '/dashboard/api/sandbox/clock/advance', { byMs: 6_000 });
    expect(moved.status).to.equal(200);
    const path = '/client-sessions?customer_id=pages&derived_status=DISPUTED';
    await until(async () => (await read(path, Sessions)).data.length === 3);
    const ordersOf = async (query: string): Promise<readonly unknown[]> => {
      const first = await read(`${path}&limit=2&${query}`, Sessions);
      const second = await read(`${path}&limit=2&${query}&cursor=${first.nextCursor}`, Sessions);
      expect([first.data.length, second.nextCursor]).to.deep.equal([2, undefined]);
      return [...first.data, ...second.data].map(({ orderId }) => orderId);
    };
    expect(await ordersOf('')).to.deep.equal(['third', 'second', 'first']);
    expect(await ordersOf('sort=oldest')).to.deep.equal(['first', 'second', 'third']);
  });

  it('shows the fields of a session and every payment that held it, and not its token', async () => {
    const clientToken = await shop.session({ orderId: 'twice', metadata: { cart: '7' } });
    const pay = async (number?: string) =>
      z
        .looseObject({ id: z.string() })
        .parse(
          await shop.ask('/payments', { clientToken, paymentMethodToken: await shop.tokenize(clientToken, number) }),
        );
    const declined = await pay(CARDS.declined);
    const paid = await pay();
    const [summary] = (await read('/client-sessions?order_id=twice', Sessions)).data;
    const { status, text, body } = await dashboard.ask(
      'support',
      'GET',
      `/dashboard/api/client-sessions/${summary?.id}`,
    );
    const { fields, payments } = SessionDetail.parse(body);
    expect([status, fields['metadata']]).to.deep.equal([200, { cart: '7' }]);
    expect(payments.map((one) => one.id)).to.have.members([declined.id, paid.id]);
    expect(text).not.to.include(clientToken);
  });

  it('lists instruments newest first, and those that a customer has vaulted', async () => {
    const clientToken = await shop.session({ orderId: 'vault' });
    const [one, other] = [await shop.tokenize(clientToken), await shop.tokenize(clientToken, CARDS.otherApproved)];
    await shop.ask(`/payment-instruments/${other}/vault`, { customerId: 'ada' });
    const newest = await read('/payment-instruments?limit=2', Instruments);
    expect(newest.data.map(({ token }) => token)).to.have.members([one, other]);
    const ofAda = await read('/payment-instruments?customer_id=ada', Instruments);
    expect(ofAda.data.map(({ token, customerId }) => [token, customerId])).to.deep.equal([[other, 'ada']]);
    const { text } = await dashboard.ask('auditor', 'GET', `/dashboard/api/payment-instruments/${other}`);
    expect(text).to.include('"last4Digits":"4444"').and.not.to.include(CARDS.otherApproved);
  });

  it('says of unknown ones that they are not there', async () => {
    for (const path of ['/client-sessions/cs_0123', '/payment-instruments/pm_0123', '/client-sessions/nothing'])
      expect((await dashboard.ask('owner', 'GET', `/dashboard/api${path}`)).status).to.equal(404);
  });
});
