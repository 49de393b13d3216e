// The dashboard's list of disputes over HTTP: its orders, its totals, and the CSV of all or of the chosen ones.
import { expect } from 'chai';
import { z } from 'zod';
import { type Dashboard, openDashboard, signedInUser } from '../../support/dashboard.ts';
import { shopOf } from '../../support/dashboard-shop.ts';
import { until } from '../../support/until.ts';

const DISPUTED = '4000000000000259';
const Item = z.looseObject({ id: z.string(), paymentId: z.string(), orderId: z.string(), status: z.string() });
const List = z.strictObject({ data: z.array(Item), nextCursor: z.string().optional() });

describe("the dashboard's list of disputes", () => {
  let dashboard: Dashboard;
  const read = async <Body>(path: string, shape: z.ZodType<Body>): Promise<Body> =>
    shape.parse((await dashboard.ask('auditor', 'GET', `/dashboard/api${path}`)).body);
  /** The orders of the disputes, over all pages. */
  const orders = async (query: string): Promise<readonly string[]> => {
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const next: string = cursor === undefined ? '' : `&cursor=${cursor}`;
      const page = await read(`/disputes?limit=2&${query}${next}`, List);
      found.push(...page.data.map(({ orderId }) => orderId));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    return found;
  };

  before(async () => {
    dashboard = await openDashboard();
    const shop = shopOf(dashboard);
    const made = [
      { orderId: 'first', amount: 500 },
      { orderId: 'second', amount: 900 },
      { orderId: 'third', amount: 100 },
      { orderId: 'yen', amount: 5_000, currencyCode: 'JPY' },
    ];
    // one after the other, so that each is opened later than the previous one
    for (const [at, session] of made.entries()) {
      await shop.captured({ session, card: DISPUTED });
      const moved = await dashboard.ask('developer', 'POST', '/dashboard/api/sandbox/clock/advance', { byMs: 10_000 });
      expect(moved.status).to.equal(200);
      await until(async () => (await orders('')).length > at);
    }
    const { data } = await read('/disputes?sort=oldest', List);
    const [first] = data;
    const path = `/dashboard/api/payments/${first?.paymentId}/disputes/${first?.id}/accept`;
    expect((await dashboard.ask('support', 'POST', path, {})).status).to.equal(200);
    await until(async () => (await orders('status=ACCEPTED')).length > 0);
  });
  after(() => dashboard.close());

  it('is by deadline unless another order is asked for, page by page', async () => {
    expect(await orders('')).to.deep.equal(['second', 'third', 'yen', 'first']);
    expect(await orders('sort=deadline&status=OPEN')).to.deep.equal(['second', 'third', 'yen']);
    expect(await orders('sort=newest')).to.deep.equal(['yen', 'third', 'second', 'first']);
    expect(await orders('sort=oldest')).to.deep.equal(['first', 'second', 'third', 'yen']);
  });

  it('is by amount in one currency only', async () => {
    expect(await orders('sort=largest&currency_code=EUR')).to.deep.equal(['second', 'first', 'third']);
    expect(await orders('sort=smallest&currency_code=EUR&status=OPEN')).to.deep.equal(['third', 'second']);
    const refused = await dashboard.ask('auditor', 'GET', '/dashboard/api/disputes?sort=largest');
    expect(refused.status).to.equal(422);
  });

  it('is counted and added up in each currency', async () => {
    const totals = (query: string) => dashboard.ask('auditor', 'GET', `/dashboard/api/dispute-totals?${query}`);
    expect((await totals('')).body).to.deep.equal({
      count: 4,
      isMore: false,
      currencies: [
        { currencyCode: 'EUR', count: 3, amount: 1_500 },
        { currencyCode: 'JPY', count: 1, amount: 5_000 },
      ],
    });
    expect((await totals('status=ACCEPTED')).body).to.deep.equal({
      count: 1,
      isMore: false,
      currencies: [{ currencyCode: 'EUR', count: 1, amount: 500 }],
    });
  });

  it('is exported as CSV, whole or the chosen ones, and none of another account', async () => {
    const csv = async (query: string): Promise<readonly string[]> => {
      const { text } = await dashboard.ask('support', 'GET', `/dashboard/api/disputes.csv?${query}`);
      return text.trimEnd().split('\r\n');
    };
    const [header, ...rows] = await csv('sort=largest&currency_code=EUR');
    expect(header).to.equal(
      'id,payment_id,opened_utc,respond_by_utc,status,order_id,customer_id,customer_name,currency,amount,reason,reason_code,round,type',
    );
    const cells = rows.map((row) => row.split(','));
    expect(
      cells.map(([, , , , status, order, , , currency, amount]) => [status, order, currency, amount]),
    ).to.deep.equal([
      ['OPEN', 'second', 'EUR', '9.00'],
      ['ACCEPTED', 'first', 'EUR', '5.00'],
      ['OPEN', 'third', 'EUR', '1.00'],
    ]);
    const ids = cells.map(([id, paymentId]) => `${paymentId}.${id}`);
    const chosen = await csv(`id=${ids[2]}&id=pay_none.dsp_none&id=${ids[0]}`);
    expect(chosen.slice(1).map((row) => row.split(',')[5])).to.deep.equal(['third', 'second']);
    const { service, url } = dashboard;
    const other = await service.access.createAccount('Another', false);
    if (other.kind === 'rejected') throw new Error(other.description);
    const { cookie } = await signedInUser(service, other.id, 'owner', 'owner@another.example');
    const headers = { cookie: `counterfoil_session=${cookie}` };
    const theirs = await fetch(`${url}/dashboard/api/disputes.csv?id=${ids[0]}`, { headers });
    expect(await theirs.text()).to.equal(`${header}\r\n`);
    expect((await dashboard.ask('developer', 'GET', '/dashboard/api/disputes.csv')).status).to.equal(403);
  });
});
