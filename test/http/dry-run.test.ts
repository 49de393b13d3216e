// ?dryRun=true over HTTP (contract §4): earlier layers answer as ever, and everything after them is a 200 with a
// verdict that has the error of the call itself.
import { expect } from 'chai';
import { z } from 'zod';
import { appendedBy } from '../support/http-appended.ts';
import { bodyOf, CARDS } from '../support/http-merchant.ts';
import type { Answer } from '../support/http-request.ts';
import { type HttpService, serveHttp } from '../support/http-service.ts';

const Verdict = z.looseObject({
  allowed: z.boolean(),
  rule: z.string().optional(),
  error: z.looseObject({ errorId: z.string(), status: z.number() }).optional(),
});

describe('?dryRun=true', () => {
  let http: HttpService;
  before(async () => {
    http = await serveHttp({ sandboxInMemory: true });
  });
  after(() => http.stop());

  const ROUTES = ['', '/capture', '/cancel', '/refund'] as const;
  type Of = (typeof ROUTES)[number];
  const pathOf = async (of: Of): Promise<string> =>
    of === '' ? '/payments' : `/payments/${(await http.shop[of === '/refund' ? 'captured' : 'paid']()).id}${of}`;
  const bodyFor = async (of: Of): Promise<object> => {
    if (of !== '') return {};
    const clientToken = await http.shop.session();
    return { clientToken, paymentMethodToken: await http.shop.tokenize(clientToken) };
  };

  for (const of of ROUTES)
    describe(`POST /payments${of}`, () => {
      it('is allowed, writes nothing, and leaves the idempotency key to the call', async () => {
        const [path, body] = [await pathOf(of), await bodyFor(of)];
        const headers = { 'x-idempotency-key': `dry ${of}` };
        const tried = await appendedBy(http.stores.events, () =>
          http.shop.ask('POST', `${path}?dryRun=true`, body, headers),
        );
        expect(tried.types).to.deep.equal([]);
        expect(tried.answer.headers).not.to.have.any.keys('etag', 'idempotent-replayed');
        expect(bodyOf(tried.answer, Verdict)).to.include({ allowed: true, currencyCode: 'EUR' });
        const real = await http.shop.ask('POST', path, body, headers);
        expect([real.status, real.headers['idempotent-replayed']]).to.deep.equal([200, undefined]);
        const again = await http.shop.ask('POST', `${path}?dryRun=true`, body, headers);
        expect([bodyOf(again, Verdict).allowed, again.headers['idempotent-replayed']]).to.deep.equal([
          false,
          undefined,
        ]);
      });

      it('is the call itself with false', async () => {
        const answer = await http.shop.ask('POST', `${await pathOf(of)}?dryRun=false`, await bodyFor(of));
        expect([answer.status, answer.body]).to.have.nested.property('[1].id');
      });

      it('is 422 with any other value, 401 without a key, and 403 with a key of another scope', async () => {
        const path = await pathOf(of);
        for (const value of ['', '1', 'TRUE', 'true&dryRun=true']) {
          const refused = await http.shop.ask('POST', `${path}?dryRun=${value}`, await bodyFor(of));
          expect([refused.status, refused.error?.errorId], value).to.deep.equal([422, 'RequestValidationError']);
          expect(refused.error?.validationErrors).to.deep.equal([
            { model: 'Query', errors: [{ path: '$.dryRun', description: 'Must be true or false.' }] },
          ]);
        }
        expect((await http.request('POST', `${path}?dryRun=true`, { body: {} })).status).to.equal(401);
        const { key } = await http.shop.keyFor('transactions:retrieve');
        expect((await http.request('POST', `${path}?dryRun=true`, { key, body: {} })).status).to.equal(403);
        const unknown = await http.shop.ask('POST', `${path}?dryRun=true`, { ...(await bodyFor(of)), surprise: 1 });
        expect([unknown.status, unknown.error?.errorId]).to.deep.equal([422, 'RequestValidationError']);
      });

      if (of !== '')
        it('is 404 for a payment of another account', async () => {
          const refused = await http.other.ask('POST', `${await pathOf(of)}?dryRun=true`, {});
          expect([refused.status, refused.error?.errorId]).to.deep.equal([404, 'NotFound']);
        });
    });

  /** The call tried out, and then done: the error of both. */
  const bothOf = async (path: string, body: object): Promise<readonly [z.infer<typeof Verdict>, Answer]> => {
    const headers = { 'x-request-id': 'same' };
    const tried = await http.shop.ask('POST', `${path}?dryRun=true`, body, headers);
    return [bodyOf(tried, Verdict), await http.shop.ask('POST', path, body, headers)];
  };

  it('has the error of the call, member by member, with its status and its rule', async () => {
    const { id } = await http.shop.paid();
    const clientToken = await http.shop.session({ amount: undefined });
    const paymentMethodToken = await http.shop.tokenize(clientToken);
    const refused = {
      AMOUNT: [`/payments/${id}/capture`, { amount: 1_001 }],
      STATUS: [`/payments/${id}/refund`, {}],
      TOKEN: ['/payments', { clientToken, paymentMethodToken: 'pm_0' }],
      SESSION: ['/payments', { clientToken: 'a.b.c', paymentMethodToken }],
      TERMS: ['/payments', { clientToken, paymentMethodToken, paymentMethod: { vaultOnSuccess: true } }],
    } as const;
    for (const [rule, [path, body]] of Object.entries(refused)) {
      const [verdict, { status, error }] = await bothOf(path, body);
      expect(verdict).to.deep.include({ allowed: false, rule, error: { ...error, status } });
    }
  });

  it('shows that an earlier attempt would be looked up first', async () => {
    const { id } = await http.shop.captured({ card: CARDS.captureLater });
    const [verdict, { status, error }] = await bothOf(`/payments/${id}/capture`, {});
    expect(verdict).to.deep.include({ rule: 'IN_PROGRESS', unknownAttempts: true, error: { ...error, status } });
  });

  it('is not a parameter of other operations', async () => {
    const { id } = await http.shop.paid({ session: { paymentMethod: { authorizationType: 'ESTIMATED' } } });
    const refused = await http.shop.ask('POST', `/payments/${id}/adjust-authorization?dryRun=true`, { amount: 5 });
    expect([refused.status, refused.error?.errorId]).to.deep.equal([422, 'RequestValidationError']);
  });
});
