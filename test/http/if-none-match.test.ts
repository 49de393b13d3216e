// If-None-Match: a caller who has the revision gets 304, after authentication and scope, and nobody else (contract §1).
import { expect } from 'chai';
import { z } from 'zod';
import { bodyOf } from '../support/http-merchant.ts';
import { type HttpService, serveHttp } from '../support/http-service.ts';

const DAY_MS = 86_400_000;
const Id = z.looseObject({ id: z.string() });

describe('If-None-Match', () => {
  let http: HttpService;
  before(async () => {
    http = await serveHttp();
  });
  after(() => http.stop());

  const read = (path: string, tag?: string) =>
    http.shop.ask('GET', path, undefined, tag === undefined ? {} : { 'if-none-match': tag });
  const paid = async (): Promise<string> => {
    const paymentMethodToken = await http.shop.tokenize(await http.shop.session());
    const body = { paymentMethodToken, orderId: 'o', currencyCode: 'EUR', amount: 500 };
    return bodyOf(await http.shop.ask('POST', '/payments', body), Id).id;
  };

  it('is 304 without a body for a payment, a session and an instrument that the caller has', async () => {
    const session = await http.shop.session();
    const paths = [
      `/payments/${await paid()}`,
      `/client-session?clientToken=${session}`,
      `/payment-instruments/${await http.shop.tokenize(session)}`,
    ];
    for (const path of paths) {
      const { etag = '' } = (await read(path)).headers;
      for (const tag of [etag, `W/${etag}`, `"99", ${etag}`, '*']) {
        const answer = await read(path, tag);
        expect([answer.status, answer.text, answer.headers.etag], `${path} ${tag}`).to.deep.equal([304, '', etag]);
        expect(answer.headers['cache-control']).to.equal('no-store');
      }
      expect((await read(path, '"99"')).status, path).to.equal(200);
    }
  });

  it('is judged after the caller and the scope, and not by a GET whose body changes without its revision', async () => {
    const path = `/payments/${await paid()}`;
    const headers = { 'if-none-match': '*' };
    expect((await http.request('GET', path, { headers })).status).to.equal(401);
    const narrow = await http.shop.keyFor('client_tokens:write');
    expect((await http.request('GET', path, { key: narrow.key, headers })).status).to.equal(403);
    const clientToken = await http.shop.session();
    expect((await http.request('GET', '/checkout/session', { token: clientToken, headers })).status).to.equal(200);
  });

  it('has another revision of an instrument that has expired since', async () => {
    const path = `/payment-instruments/${await http.shop.tokenize(await http.shop.session())}`;
    const { etag = '' } = (await read(path)).headers;
    http.world.advance(DAY_MS);
    const answer = await read(path, etag);
    expect(answer.status).to.equal(200);
    expect(answer.body).to.include({ expired: true });
    expect((await read(path, answer.headers.etag)).status).to.equal(304);
  });
});
