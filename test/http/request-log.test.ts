// The request log names the requests of an account's keys and checkouts, and nothing secret is in it.
import { expect } from 'chai';
import { type LoggedRequest, loggedRequests } from '../../src/projections/models/request-log.ts';
import { CARDS } from '../support/http-merchant.ts';
import { guardedRoutes, sampleOf } from '../support/http-samples.ts';
import { type HttpService, serveHttp } from '../support/http-service.ts';

const METADATA = 'a value that only the merchant knows';

describe('the request log of the API', () => {
  let http: HttpService;
  before(async () => {
    http = await serveHttp();
  });
  after(() => http.stop());

  const logged = async (): Promise<readonly LoggedRequest[]> => {
    await http.service.requestLog.write();
    return loggedRequests(http.service.readModels, http.shop.accountId);
  };
  const newest = async (): Promise<Partial<LoggedRequest>> => {
    const [{ id: _id, at: _at, ms, ...entry } = expect.fail('the log is empty')] = await logged();
    expect(ms).to.be.within(0, 60_000);
    return entry;
  };

  it('has the route, the status, the caller and the payment of a request', async () => {
    const { keyId } = http.shop;
    const { id: paymentId } = await http.shop.paid();
    const created = await newest();
    expect(created).to.deep.include({ method: 'POST', route: '/payments', status: 200, keyId, paymentId });
    const { requestId } = await http.shop.ask('GET', `/payments/${paymentId}?expand=transactions.events`);
    expect(await newest()).to.deep.equal({
      method: 'GET',
      route: '/payments/:id',
      status: 200,
      requestId,
      keyId,
      paymentId,
    });
  });

  it('has the error of a refused request, and the payment that the refusal names', async () => {
    const { id: paymentId } = await http.shop.captured();
    const refused = await http.shop.ask('POST', `/payments/${paymentId}/cancel`);
    expect(await newest()).to.deep.include({
      status: refused.status,
      errorId: refused.error?.errorId,
      requestId: refused.requestId,
      paymentId,
    });
    await http.shop.ask('POST', '/payments', { unknown: METADATA });
    expect(await newest()).to.deep.include({ route: '/payments', status: 422, errorId: 'RequestValidationError' });
  });

  it('names a checkout by its session, and masks a payment method token', async () => {
    const token = await http.shop.session();
    await http.request('GET', '/checkout/session', { token });
    const { sessionId, keyId } = await newest();
    expect(sessionId).to.match(/^cs_/);
    expect(keyId).to.equal(undefined);
    const instrument = await http.shop.vaulted('customer-1');
    expect(await newest()).to.deep.include({
      route: '/payment-instruments/:token/vault',
      instrument: `pm_…${instrument.slice(-4)}`,
    });
  });

  it('has the requests of its own account alone, and none of an unknown caller', async () => {
    await http.other.ask('GET', '/payments');
    const before = await logged();
    await http.request('GET', '/payments', { key: 'cf_test_wrong' });
    expect((await logged()).length).to.equal(before.length);
    expect(new Set(before.map(({ keyId }) => keyId))).to.not.include(http.other.keyId);
  });

  it('holds no card number, token, key or metadata after a request to every route', async () => {
    const secrets = [...Object.values(CARDS), http.shop.key, METADATA];
    await http.shop.paid({ session: { metadata: { note: METADATA } } });
    for (const route of guardedRoutes) {
      const sample = await sampleOf(route, http);
      const { token, body, text, headers } = sample;
      const sent = {
        ...(body !== undefined && { body }),
        ...(text !== undefined && { text }),
        ...(headers !== undefined && { headers }),
      };
      await http.request(route.method, sample.path, {
        ...(token === undefined ? { key: http.shop.key } : { token }),
        ...sent,
      });
      secrets.push(
        ...[token, sample.path.split('/').find((step) => /^(pm_|whk|wh_)/.test(step))].flatMap(
          (secret) => secret ?? [],
        ),
      );
    }
    const entries = await logged();
    expect(entries.length).to.be.greaterThan(guardedRoutes.length);
    const text = JSON.stringify(entries);
    for (const secret of secrets) expect(text).to.not.include(secret);
    expect(text).to.not.match(/eyJ|pm_[0-9A-Za-z]|cf_test/);
  });
});
