// Payment links (contract §3): made, read, listed and cancelled; opened by their secret; paid once.
import { expect } from 'chai';
import { z } from 'zod';
import { type Dashboard, type DashboardAnswer, openDashboard } from '../support/dashboard.ts';
import { shopOf } from '../support/dashboard-shop.ts';
import { CARDS } from '../support/http-merchant.ts';
import { until } from '../support/until.ts';

const Link = z.looseObject({
  id: z.string(),
  url: z.string(),
  status: z.string(),
  orderId: z.string(),
  createdAt: z.string(),
  expiresAt: z.string(),
  payment: z.object({ id: z.string(), status: z.string() }).optional(),
});
type Link = z.infer<typeof Link>;
const Opened = z.looseObject({ status: z.string(), clientToken: z.string().optional() });
const Saved = z.looseObject({
  paymentMethod: z.looseObject({ paymentMethodToken: z.string(), isVaulted: z.literal(true) }),
});
const Refused = z.object({ error: z.looseObject({ errorId: z.string(), paymentId: z.string().optional() }) });

const DAY_MS = 86_400_000;
const FIELDS = { currencyCode: 'EUR', amount: 1_200 };

describe('a payment link', () => {
  let dashboard: Dashboard;
  before(async () => {
    dashboard = await openDashboard();
  });
  after(() => dashboard.close());

  const call = (method: string, path: string, body?: object, headers: object = {}): Promise<DashboardAnswer> =>
    dashboard.ask('anybody', method, path, body, { 'x-api-key': dashboard.key, ...headers });
  const made = async (fields: object = {}): Promise<Link> =>
    Link.parse((await call('POST', '/payment-links', { ...FIELDS, ...fields })).body);
  const refusalOf = ({ status, body }: DashboardAnswer) => ({ status, ...Refused.parse(body).error });
  const placeOf = ({ url }: Link): { readonly path: string; readonly secret: string } => {
    const { pathname, hash } = new URL(url);
    return { path: `${pathname}/open`, secret: hash.slice(1) };
  };
  const open = async (link: Link): Promise<z.infer<typeof Opened>> => {
    const { path, secret } = placeOf(link);
    return Opened.parse((await dashboard.ask('anybody', 'POST', path, { secret })).body);
  };
  const payWith = async (clientToken: string, number?: string): Promise<DashboardAnswer> => {
    const paymentMethodToken = await shopOf(dashboard).tokenize(clientToken, number);
    const headers = { 'x-client-token': clientToken };
    return dashboard.ask('anybody', 'POST', '/checkout/payments', { paymentMethodToken }, headers);
  };

  it('has a URL of the service, lasts 7 days, and is its own order without another', async () => {
    const link = await made();
    expect(link).to.include({ status: 'OPEN', orderId: link.id });
    expect(link.url).to.match(new RegExp(`^${dashboard.url}/pay/${link.id}#[0-9a-f]{32}$`));
    expect(Date.parse(link.expiresAt) - Date.parse(link.createdAt)).to.equal(7 * DAY_MS);
    expect((await call('GET', `/payment-links/${link.id}`)).body).to.deep.equal(link);
  });

  it('is the same one when its request is repeated under its key', async () => {
    const headers = { 'x-idempotency-key': 'link-1' };
    const [first, second] = [
      await call('POST', '/payment-links', FIELDS, headers),
      await call('POST', '/payment-links', FIELDS, headers),
    ];
    expect(second.body).to.deep.equal(first.body);
    expect(second.headers.get('idempotent-replayed')).to.equal('true');
  });

  it('is listed newest first, page by page, and an ordinary session is not', async () => {
    await shopOf(dashboard).session();
    const [older, newer] = [await made({ orderId: 'older' }), await made({ orderId: 'newer' })];
    const List = z.object({ data: z.array(Link), nextCursor: z.string().optional() });
    const first = List.parse((await call('GET', '/payment-links?limit=1')).body);
    const second = List.parse((await call('GET', `/payment-links?limit=1&cursor=${first.nextCursor}`)).body);
    expect([...first.data, ...second.data].map(({ id }) => id)).to.deep.equal([newer.id, older.id]);
  });

  it('needs an amount and a currency, ends within 90 days, and takes no customer id', async () => {
    const now = Date.now();
    const wrong: readonly object[] = [
      { currencyCode: 'EUR' },
      { amount: 1 },
      { ...FIELDS, amount: 0 },
      { ...FIELDS, customerId: 'customer-1' },
      { ...FIELDS, expiresAt: new Date(now + 91 * DAY_MS).toISOString() },
      { ...FIELDS, expiresAt: new Date(now - DAY_MS).toISOString() },
    ];
    for (const fields of wrong)
      expect(refusalOf(await call('POST', '/payment-links', fields)), JSON.stringify(fields)).to.include({
        status: 422,
        errorId: 'RequestValidationError',
      });
  });

  it('shows its order to who has its secret, and nothing to anybody else', async () => {
    const link = await made({ orderId: 'order-9', metadata: { internal: 'never shown' } });
    const { path, secret } = placeOf(link);
    const shown = await dashboard.ask('anybody', 'POST', path, { secret });
    expect(shown.body).to.include({ status: 'OPEN', orderId: 'order-9', amount: 1_200 });
    expect(shown.text).not.to.contain('internal');
    expect(shown.body, 'a shop that nobody has named').not.to.have.property('shopName');
    const { access } = dashboard.service;
    await access.renameAccount(dashboard.accountId, 'Corner shop');
    const named = async () => (await dashboard.ask('anybody', 'POST', path, { secret })).text;
    await until(async () => (await named()).includes('"shopName":"Corner shop"'));
    await access.renameAccount(dashboard.accountId, 'Default');
    await until(async () => !(await named()).includes('shopName'));
    const other = await made();
    const refused = [
      await dashboard.ask('anybody', 'POST', path, { secret: placeOf(other).secret }),
      await dashboard.ask('anybody', 'POST', path, { secret: '' }),
      await dashboard.ask('anybody', 'POST', '/pay/cs_0123456789abcdef0123456789abcdef/open', { secret }),
    ];
    for (const answer of refused) expect(refusalOf(answer)).to.include({ status: 404, errorId: 'NotFound' });
    const elsewhere = await dashboard.ask('anybody', 'POST', path, { secret }, { origin: 'https://elsewhere.example' });
    expect(refusalOf(elsewhere)).to.include({ status: 403, errorId: 'CrossSiteRequest' });
  });

  it('is paid once, and cannot be cancelled then', async () => {
    const link = await made();
    const [one, another] = [await open(link), await open(link)];
    const answers = await Promise.all([payWith(one.clientToken ?? ''), payWith(another.clientToken ?? '')]);
    expect(answers.map(({ status }) => status).toSorted()).to.deep.equal([200, 409]);
    expect(await open(link))
      .to.include({ status: 'PAID' })
      .and.not.to.have.property('clientToken');
    const { payment } = Link.parse((await call('GET', `/payment-links/${link.id}`)).body);
    expect(payment?.status).to.equal('AUTHORIZED');
    expect(refusalOf(await call('POST', `/payment-links/${link.id}/cancel`, {}))).to.include({
      status: 409,
      errorId: 'ClientSessionCompleted',
      paymentId: payment?.id,
    });
  });

  it('is being paid, and not paid yet, while its customer has to act', async () => {
    const link = await made();
    const { clientToken = '' } = await open(link);
    const { body } = await payWith(clientToken, CARDS.challenged);
    expect(body).to.include({ status: 'PENDING' });
    expect(await open(link)).to.include({ status: 'PROCESSING' });
  });

  it('takes no saved payment method: who has the link is not known to be the customer', async () => {
    const session = { ...FIELDS, customerId: 'customer-1', paymentMethod: { vaultOnSuccess: true } };
    const { id } = await shopOf(dashboard).paid({ session });
    const { paymentMethodToken } = Saved.parse((await call('GET', `/payments/${id}`)).body).paymentMethod;
    const { clientToken = '' } = await open(await made());
    const headers = { 'x-client-token': clientToken };
    const answer = await dashboard.ask('anybody', 'POST', '/checkout/payments', { paymentMethodToken }, headers);
    expect(refusalOf(answer)).to.include({ status: 400, errorId: 'InvalidPaymentInstrumentToken' });
  });

  it('is not paid after it was cancelled, with a token of before neither', async () => {
    const link = await made();
    const { clientToken = '' } = await open(link);
    const cancelled = await call('POST', `/payment-links/${link.id}/cancel`, {});
    expect(cancelled.body).to.include({ status: 'CANCELLED' });
    expect(await open(link))
      .to.include({ status: 'CANCELLED' })
      .and.not.to.have.property('clientToken');
    const token = await dashboard.ask(
      'anybody',
      'POST',
      '/checkout/payments',
      { paymentMethodToken: 'pm_none' },
      { 'x-client-token': clientToken },
    );
    expect(token.status).to.equal(400);
    expect((await call('POST', `/payment-links/${link.id}/cancel`, {})).body).to.deep.equal(cancelled.body);
  });

  it('is not paid after it has expired, with a token of before neither', async () => {
    const now = dashboard.service.world.now();
    const link = await made({ expiresAt: new Date(now + 120_000).toISOString() });
    const { clientToken = '' } = await open(link);
    const paymentMethodToken = await shopOf(dashboard).tokenize(clientToken);
    await dashboard.ask('owner', 'POST', '/dashboard/api/sandbox/clock/advance', { byMs: 121_000 });
    expect(await open(link))
      .to.include({ status: 'EXPIRED' })
      .and.not.to.have.property('clientToken');
    const headers = { 'x-client-token': clientToken };
    const paid = await dashboard.ask('anybody', 'POST', '/checkout/payments', { paymentMethodToken }, headers);
    expect(refusalOf(paid)).to.include({ status: 400, errorId: 'ClientSessionValidationError' });
    expect((await call('POST', `/payment-links/${link.id}/cancel`, {})).body).to.include({ status: 'EXPIRED' });
  });

  it('has no end that a new token of its session would move', async () => {
    const link = await made();
    const { clientToken } = await open(link);
    expect(refusalOf(await call('POST', '/client-session/client-token', { clientToken }))).to.include({
      errorId: 'ClientSessionValidationError',
    });
  });

  it('is another session’s id nowhere', async () => {
    await shopOf(dashboard).session();
    const { data } = z
      .looseObject({ data: z.array(z.looseObject({ id: z.string() })) })
      .parse((await dashboard.ask('owner', 'GET', '/dashboard/api/client-sessions?order_id=order-1')).body);
    const id = data[0]?.id ?? expect.fail('the account has no session');
    expect((await call('GET', `/payment-links/${id}`)).status).to.equal(404);
    expect((await call('POST', `/payment-links/${id}/cancel`, {})).status).to.equal(404);
  });

  it('is made by owners and support in the dashboard, where it may capture', async () => {
    const body = { ...FIELDS, paymentMethod: { captureMode: 'AUTOMATIC' } };
    const ask = (role: 'support' | 'developer') => dashboard.ask(role, 'POST', '/dashboard/api/payment-links', body);
    const link = Link.parse((await ask('support')).body);
    const { clientToken = '' } = await open(link);
    expect((await payWith(clientToken)).body).to.include({ status: 'SETTLED' });
    expect((await ask('developer')).status).to.equal(403);
  });

  it('has a page that no search engine lists, no page frames, and no script of the fields gets out of', async () => {
    const { headers, status } = await dashboard.ask('anybody', 'GET', `/pay/${(await made()).id}`);
    expect(status).to.equal(200);
    expect(headers.get('x-robots-tag')).to.contain('noindex');
    expect(headers.get('cross-origin-opener-policy')).to.equal(null);
    expect(headers.get('cross-origin-embedder-policy')).to.equal(null);
    expect(headers.get('referrer-policy')).to.equal('no-referrer');
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy)
      .to.contain("frame-ancestors 'none'")
      .and.to.contain(`connect-src ${dashboard.url}/pay/;`)
      .and.to.contain("script-src 'self';");
    expect((await dashboard.ask('anybody', 'GET', '/checkout/frame/pay.html')).status).to.equal(404);
  });
});
