// 429: the rate limit of a key or a checkout session, and the limits against card testing (contract §§2, 7).
import { expect } from 'chai';
import { appendedBy } from '../support/http-appended.ts';
import { CARDS } from '../support/http-merchant.ts';
import type { Answer } from '../support/http-request.ts';
import { type HttpService, serveHttp } from '../support/http-service.ts';
import { card } from '../support/node.ts';

describe('the rate limit', () => {
  const PER_SECOND = 10;
  // More than four seconds allow, so that some are limited also on a machine that is busy.
  const ASKED = 5 * PER_SECOND;
  let http: HttpService;
  before(async () => {
    http = await serveHttp({ requestsPerSecond: PER_SECOND });
  });
  after(() => http.stop());

  const many = (ask: () => Promise<Answer>): Promise<readonly Answer[]> =>
    Promise.all(Array.from({ length: ASKED }, ask));

  it('is 429 TooManyRequests for a key that asks too often, and says how to pace oneself', async () => {
    const { shop, stores } = http;
    const { answer: answers, types } = await appendedBy(stores.events, () =>
      many(() => shop.ask('POST', '/client-session', {})),
    );
    const limited = answers.filter(({ status }) => status !== 200);
    expect(limited).not.to.deep.equal([]);
    expect(types).to.have.length(answers.length - limited.length);
    for (const { status, error, headers } of limited) {
      expect([status, error?.errorId]).to.deep.equal([429, 'TooManyRequests']);
      expect(headers['retry-after']).to.equal('1');
      expect(headers['ratelimit-policy']).to.equal(`"default";q=${PER_SECOND};w=1`);
      expect(headers['ratelimit']).to.match(/^"default";r=0;t=[01]$/);
    }
    const served = answers.find(({ status }) => status === 200);
    expect(served?.headers['ratelimit']).to.match(/^"default";r=\d+;t=1$/);
  });

  it('counts each key and each checkout session separately, and no request at public paths', async () => {
    const { other, request } = http;
    const token = await other.session();
    const drawn = await many(() => request('GET', '/checkout/session', { token }));
    expect(drawn.filter(({ status }) => status === 429)).not.to.deep.equal([]);
    expect((await other.ask('GET', '/payments')).status).to.equal(200);
    const live = await many(() => request('GET', '/health/live'));
    expect(new Set(live.map(({ status }) => status))).to.deep.equal(new Set([200]));
    expect(live[0]?.headers).not.to.have.property('ratelimit');
  });

  it('counts only admitted callers: 401 and 403 come first, whatever the body', async () => {
    const { shop, request } = http;
    const { key } = await shop.keyFor('transactions:refund');
    const unknown = await many(() => request('GET', '/payments', { key: 'unknown' }));
    expect(new Set(unknown.map(({ status }) => status))).to.deep.equal(new Set([401]));
    const forbidden = await many(() => request('GET', '/payments', { key }));
    expect(new Set(forbidden.map(({ status }) => status))).to.deep.equal(new Set([403]));
  });
});

describe('the limits against card testing', () => {
  let http: HttpService;
  before(async () => {
    http = await serveHttp({ cardTestingLimits: true, requestsPerSecond: 10_000 });
  });
  after(() => http.stop());

  const expectLimited = ({ status, error, headers }: Answer): void => {
    expect([status, error?.errorId]).to.deep.equal([429, 'TooManyRequests']);
    expect(Number(headers['retry-after'])).to.be.within(1, 3_600);
    expect(headers).to.include.keys('ratelimit', 'ratelimit-policy');
  };
  const tokenize = (token: string, number?: string) =>
    http.request('POST', '/checkout/payment-instruments', { token, body: card(number) });
  const payDeclined = async (token: string, number: string): Promise<Answer> =>
    http.request('POST', '/checkout/payments', {
      token,
      body: { paymentMethodToken: await http.shop.tokenize(token, number) },
    });

  it('let a session tokenize 30 cards an hour', async () => {
    const { shop, stores } = http;
    const token = await shop.session();
    const answers = await Promise.all(Array.from({ length: 30 }, () => tokenize(token)));
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]));
    const refused = await appendedBy(stores.events, () => tokenize(token));
    expectLimited(refused.answer);
    expect(refused.types).to.deep.equal([]);
    expect((await tokenize(await shop.session())).status).to.equal(200);
  });

  it('let a session be declined ten times an hour, and a card wherever it is', async () => {
    const { shop, stores, request } = http;
    const token = await shop.session();
    for (let index = 0; index < 5; index += 1) {
      expect((await payDeclined(token, CARDS.declined)).body).to.include({ status: 'DECLINED' });
      expect((await payDeclined(token, '4000000000009995')).body).to.include({ status: 'DECLINED' });
    }
    const paymentMethodToken = await shop.tokenize(token, CARDS.approved);
    const refused = await appendedBy(stores.events, () =>
      request('POST', '/checkout/payments', { token, body: { paymentMethodToken } }),
    );
    expectLimited(refused.answer);
    expect(refused.types).to.deep.equal([]);
    const another = await shop.session();
    for (let index = 0; index < 5; index += 1)
      expect((await payDeclined(another, CARDS.declined)).status).to.equal(200);
    expectLimited(await payDeclined(await shop.session(), CARDS.declined));
    expect((await payDeclined(await shop.session(), '4000000000009995')).body).to.include({ status: 'DECLINED' });
  });

  it('are told to operators', () => {
    expect(http.faults.map(String).join('\n'))
      .to.match(/declines-per-session/)
      .and.to.match(/declines-per-card/)
      .and.to.match(/tokenizations-per-session/);
  });
});
