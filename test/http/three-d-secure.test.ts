// 3-D Secure over HTTP: who may resume a payment, how often, what a closed tab, a late customer and a lost answer come
// to (contract §4).
import { expect } from 'chai';
import { z } from 'zod';
import { defaultTimings } from '../../src/commands/payment-timings.ts';
import { answered, type Challenged, challenged, resumeTokenIn, returning } from '../support/challenged.ts';
import { appendedBy } from '../support/http-appended.ts';
import { bodyOf, CARDS, openMerchant } from '../support/http-merchant.ts';
import type { Answer } from '../support/http-request.ts';
import { type HttpService, serveHttp } from '../support/http-service.ts';
import { until } from '../support/until.ts';

const HOUR_MS = 3_600_000;
const Events = z.looseObject({ data: z.array(z.looseObject({ type: z.string() })) });
const Authenticated = z.looseObject({
  status: z.string(),
  paymentMethod: z.looseObject({ threeDSecureAuthentication: z.looseObject({}).optional() }),
});
const Message = z.looseObject({
  payment: z.looseObject({ id: z.string(), status: z.string(), requiredAction: z.looseObject({}).optional() }),
});
/** Every look-up and every fence is answered with 503. */
const UNAVAILABLE = { rules: [{ match: { operation: 'look_up' }, do: { phase: 'before_effect', fault: '503' } }] };

describe('3-D Secure', () => {
  let http: HttpService;
  before(async () => {
    http = await serveHttp({ sandboxInMemory: true, timings: { ...defaultTimings, answerWithinMs: 500 } });
  });
  after(() => http.stop());

  const resume = (id: string, resumeToken: string, headers?: { readonly [name: string]: string }): Promise<Answer> =>
    http.shop.ask('POST', `/payments/${id}/resume`, { resumeToken }, headers);
  const status = async (id: string): Promise<string> =>
    bodyOf(await http.shop.ask('GET', `/payments/${id}`), z.looseObject({ status: z.string() })).status;
  const types = async (id: string): Promise<readonly string[]> =>
    bodyOf(await http.shop.ask('GET', `/payments/${id}/events?limit=100`), Events).data.map(({ type }) => type);
  const faults = (plan: object): Promise<Answer> => http.shop.ask('PUT', '/sandbox/faults', plan);
  const laterBy = (ms: number): void => {
    http.world.advance(ms);
    http.service.lookAtOnce();
  };

  describe('a resumption', () => {
    it('happens once, however many ask at the same time, and tells what was authenticated', async () => {
      const { id, resumeToken } = await returning(http);
      const both = await Promise.all([resume(id, resumeToken), resume(id, resumeToken), resume(id, resumeToken)]);
      expect(both.every((one) => one.status === 200 || one.status === 202)).to.equal(true);
      const again = await appendedBy(http.stores.events, () => resume(id, resumeToken));
      expect(again.types).to.deep.equal([]);
      const { status: now, paymentMethod } = bodyOf(again.answer, Authenticated);
      expect(now).to.equal('AUTHORIZED');
      expect(paymentMethod.threeDSecureAuthentication).to.deep.equal({
        responseCode: 'AUTH_SUCCESS',
        protocolVersion: '2.2.0',
        challengeIssued: true,
        eci: '05',
      });
      expect(await types(id)).to.deep.equal([
        'PaymentCreated',
        'AuthorizationRequested',
        'CustomerActionRequired',
        'AuthorizationResumed',
        'AuthenticationCompleted',
        'PaymentAuthorized',
      ]);
    });

    it('under a key answers the same body again', async () => {
      const { id, resumeToken } = await returning(http);
      const headers = { 'X-Idempotency-Key': 'back-1' };
      const first = await resume(id, resumeToken, headers);
      const second = await resume(id, resumeToken, headers);
      expect([first.status, second.status, second.headers['idempotent-replayed']]).to.deep.equal([200, 200, 'true']);
      expect(second.body).to.deep.equal(first.body);
    });

    it('takes no token but its own, and no payment of others', async () => {
      const [one, other] = [await returning(http), await returning(http)];
      for (const token of [other.resumeToken, `res_${'0'.repeat(64)}`]) {
        const refused = await resume(one.id, token);
        expect([refused.status, refused.error?.errorId]).to.deep.equal([422, 'RequestValidationError']);
        expect(refused.text).to.include('$.resumeToken').and.not.include(token);
      }
      const foreign = await http.other.ask('POST', `/payments/${one.id}/resume`, { resumeToken: one.resumeToken });
      expect([foreign.status, foreign.error?.errorId]).to.deep.equal([404, 'NotFound']);
      const { clientToken: token } = other;
      const elsewhere = await http.request('POST', `/checkout/payments/${one.id}/resume`, {
        token,
        body: { resumeToken: one.resumeToken },
      });
      expect(elsewhere.status).to.equal(404);
      const plain = await http.shop.paid();
      const unasked = await resume(plain.id, one.resumeToken);
      expect([unasked.status, unasked.error?.errorId]).to.deep.equal([400, 'InvalidPaymentStatus']);
      expect(await status(one.id)).to.equal('PENDING');
    });

    it('of automatic capture needs the scope to capture', async () => {
      const { id, resumeToken } = await returning(http, { session: { paymentMethod: { captureMode: 'AUTOMATIC' } } });
      const { key } = await http.shop.keyFor('transactions:authorize');
      const refused = await http.request('POST', `/payments/${id}/resume`, { key, body: { resumeToken } });
      expect([refused.status, refused.error?.errorId]).to.deep.equal([403, 'InsufficientScope']);
      expect((await resume(id, resumeToken)).body).to.include({ status: 'SETTLED' });
    });

    it('whose answer is lost goes on by a look-up, and is 202 until then', async () => {
      const { id, resumeToken } = await returning(http);
      await faults(UNAVAILABLE);
      const lost = await resume(id, resumeToken);
      expect([lost.status, (await types(id)).at(-1)]).to.deep.equal([202, 'AuthorizationOutcomeUnknown']);
      await faults({ rules: [] });
      laterBy(60_000);
      await until(async () => (await status(id)) === 'AUTHORIZED');
    });
  });

  describe('in the checkout', () => {
    it('ends at a page of ours, whatever the session says, and goes on with the client token', async () => {
      const token = await http.shop.session({ returnUrl: 'https://shop.example/back' });
      const body = { paymentMethodToken: await http.shop.tokenize(token, CARDS.challenged) };
      const paid = bodyOf(
        await http.request('POST', '/checkout/payments', { token, body }),
        z.strictObject({
          paymentMethodType: z.literal('PAYMENT_CARD'),
          id: z.string(),
          status: z.literal('PENDING'),
          amount: z.number(),
          currencyCode: z.string(),
          requiredAction: z.strictObject({
            name: z.literal('3DS_AUTHENTICATION'),
            description: z.string(),
            clientToken: z.string(),
            url: z.url(),
          }),
        }),
      );
      const session = await http.request('GET', '/checkout/session', { token });
      expect(session.body).to.deep.include({ payment: paid });
      const back = await answered(http, new URL(paid.requiredAction.url).pathname);
      expect([back.pathname, back.searchParams.get('account')]).to.deep.equal([
        '/checkout/3ds/return',
        http.shop.accountId,
      ]);
      const done = await http.request('POST', `/checkout/payments/${paid.id}/resume`, {
        token: paid.requiredAction.clientToken,
        body: { resumeToken: resumeTokenIn(back) },
      });
      expect(done.body).to.deep.equal({
        id: paid.id,
        status: 'AUTHORIZED',
        amount: 1000,
        currencyCode: 'EUR',
        paymentMethodType: 'PAYMENT_CARD',
      });
    });

    it('the client token of the action is good as long as the action', async () => {
      const { id, clientToken: token } = await challenged(http);
      expect((await http.request('GET', `/checkout/payments/${id}`, { token })).status).to.equal(200);
      http.world.advance(HOUR_MS + 1_000);
      expect((await http.request('GET', `/checkout/payments/${id}`, { token })).status).to.equal(401);
    });
  });

  describe('of a merchant with a page of its own', () => {
    it('leads back there, with payment and token beside what the URL had', async () => {
      for (const returnUrl of ['https://shop.example/back?order=7', 'myshop://back']) {
        const { id, page } = await challenged(http, { fields: { returnUrl } });
        const back = await answered(http, page);
        expect(back.href.startsWith(returnUrl.split('?')[0] ?? '')).to.equal(true);
        expect(back.searchParams.get('paymentId')).to.equal(id);
        if (returnUrl.includes('?')) expect(back.searchParams.get('order')).to.equal('7');
        expect((await resume(id, resumeTokenIn(back))).body).to.include({ status: 'AUTHORIZED' });
      }
    });
  });

  describe('a customer who comes too late', () => {
    it('finds the payment failed, and its session can be paid again', async () => {
      const { id, page, clientToken } = await challenged(http);
      http.world.advance(HOUR_MS);
      const { stores } = http;
      await until(async () => (await status(id)) === 'FAILED');
      expect((await types(id)).slice(-2)).to.deep.equal(['AttemptFenced', 'CustomerActionExpired']);
      const shown = await fetch(`http://127.0.0.1:${http.port}${page}`);
      expect([shown.status, await shown.text()].join(' ')).to.match(/^410 .*over/s);
      const late = await appendedBy(stores.events, () => http.shop.ask('GET', `/payments/${id}`));
      expect(late.answer.text).to.include('AUTHENTICATION_REQUIRED').and.not.include('requiredAction');
      const renewed = await http.shop.ask('POST', '/client-session/client-token', { clientToken });
      const { clientToken: token } = bodyOf(renewed, z.looseObject({ clientToken: z.string() }));
      const again = await http.shop.ask('POST', '/payments', {
        clientToken: token,
        paymentMethodToken: await http.shop.tokenize(token),
      });
      expect(again.body).to.include({ status: 'AUTHORIZED' });
    });

    it('is answered as it is with a good token, also before anybody has looked', async () => {
      const payment = await returning(http);
      await http.shop.ask('GET', '/sandbox/ledger');
      http.world.advance(HOUR_MS);
      const late = await resume(payment.id, payment.resumeToken);
      expect(late.body).to.include({ status: 'FAILED' });
    });

    it('has a success voided that was found by then, and recorded', async () => {
      const { id } = await returning(http); // approved, the tab closed, and no notification came
      laterBy(HOUR_MS);
      await until(async () => (await types(id)).includes('AuthorizationVoided'));
      expect((await types(id)).slice(-5)).to.deep.equal([
        'AttemptFenced',
        'CustomerActionExpired',
        'LateSuccessRecorded',
        'CancellationRequested',
        'AuthorizationVoided',
      ]);
      const { body } = await http.shop.ask('GET', `/payments/${id}`);
      expect(body).to.deep.include({ status: 'FAILED' });
      expect(
        z.looseObject({ statusReason: z.looseObject({ type: z.string() }) }).parse(body).statusReason.type,
      ).to.equal('AUTHENTICATION_REQUIRED');
    });

    it('keeps a payment pending until the processor has confirmed that the action is withdrawn', async () => {
      const { id } = await challenged(http);
      await faults(UNAVAILABLE);
      laterBy(HOUR_MS);
      await until(async () => (await types(id)).includes('LookUpRecorded'));
      expect(await status(id)).to.equal('PENDING');
      await faults({ rules: [] });
      laterBy(60_000);
      await until(async () => (await status(id)) === 'FAILED');
    });
  });

  describe('a cancellation meanwhile', () => {
    it('that the processor does not answer is kept, and done as soon as it can be', async () => {
      const { id } = await challenged(http);
      await faults(UNAVAILABLE);
      const asked = await http.shop.ask('POST', `/payments/${id}/cancel`);
      expect([asked.status, (await types(id)).slice(-2)]).to.deep.equal([
        202,
        ['CancellationIntended', 'LookUpRecorded'],
      ]);
      await faults({ rules: [] });
      laterBy(HOUR_MS);
      await until(async () => (await status(id)) === 'CANCELLED');
      expect((await types(id)).slice(-3)).to.deep.equal(['AttemptFenced', 'PaymentCancelled', 'CustomerActionExpired']);
    });

    it('counts as no refusal, however long the customer has waited', async () => {
      const { id } = await challenged(http);
      http.world.advance(31_000);
      expect((await http.shop.ask('POST', `/payments/${id}/cancel`)).body).to.include({ status: 'CANCELLED' });
    });

    it('whose fence happened and was not answered is kept, and the issuer has declined nothing', async () => {
      const { id } = await challenged(http);
      http.world.advance(31_000);
      const lost = {
        match: { operation: 'look_up' },
        do: { phase: 'after_effect_before_reply', fault: 'reset', times: 1 },
      };
      expect((await faults({ rules: [lost] })).status).to.equal(200);
      const asked = await http.shop.ask('POST', `/payments/${id}/cancel`);
      expect([asked.status, await status(id)]).to.deep.equal([202, 'PENDING']);
      expect((await types(id)).slice(-2)).to.deep.equal(['CancellationIntended', 'LookUpRecorded']);
      laterBy(HOUR_MS);
      await until(async () => (await status(id)) === 'CANCELLED');
    });

    it('that is kept voids what the customer approves after it', async () => {
      const { id, page } = await challenged(http);
      await faults(UNAVAILABLE);
      await http.shop.ask('POST', `/payments/${id}/cancel`);
      await faults({ rules: [] });
      const resumed = await resume(id, resumeTokenIn(await answered(http, page)));
      expect(resumed.body).to.include({ status: 'CANCELLED' });
      expect((await types(id)).slice(-2)).to.deep.equal(['CancellationRequested', 'AuthorizationVoided']);
    });
  });

  it('gives the client token of the action to who may pay, and not to who may only read', async () => {
    const { id, clientToken } = await challenged(http);
    const { key } = await http.shop.keyFor('transactions:retrieve');
    for (const query of ['', '?expand=transactions.events']) {
      const { text } = await http.request('GET', `/payments/${id}${query}`, { key });
      expect(text).to.include('3DS_AUTHENTICATION').and.not.include('clientToken').and.not.include(clientToken);
    }
  });

  it('whose first answer is lost asks the customer after a look-up', async () => {
    await faults({
      rules: [{ match: { operation: 'authorization' }, do: { phase: 'after_effect_before_reply', fault: 'reset' } }],
    });
    const { id } = bodyOf(await http.shop.pay({ card: CARDS.challenged }), z.looseObject({ id: z.string() }));
    await faults({ rules: [] });
    expect(await status(id)).to.equal('PENDING');
    laterBy(60_000);
    await until(async () => (await types(id)).includes('CustomerActionRequired'));
    const { body } = await http.shop.ask('GET', `/payments/${id}`);
    const { requiredAction } = z.looseObject({ requiredAction: z.looseObject({ url: z.url() }) }).parse(body);
    const back = await answered(http, new URL(requiredAction.url).pathname);
    expect((await resume(id, resumeTokenIn(back))).body).to.include({ status: 'AUTHORIZED' });
  });

  it('is told to receivers without any token, and leaves none in the log', async () => {
    const payment: Challenged & { readonly resumeToken: string } = await returning(http);
    const page = async () =>
      bodyOf(await http.shop.ask('GET', '/events'), z.looseObject({ data: z.array(Message) })).data;
    await until(async () => (await page()).some((one) => one.payment.id === payment.id));
    const message = (await page()).find((one) => one.payment.id === payment.id);
    expect(message?.payment).to.include({ id: payment.id, status: 'PENDING' });
    expect(message?.payment.requiredAction)
      .to.include({ name: '3DS_AUTHENTICATION' })
      .and.not.have.property('clientToken');
    await resume(payment.id, payment.resumeToken);
    const whole = await appendedBy(http.stores.events, async () => undefined);
    expect(whole.types).to.deep.equal([]);
    for await (const batch of http.stores.events.follow(0n, [], new AbortController().signal)) {
      for (const { data, metadata } of batch.events) expect(data + metadata).to.not.include(payment.resumeToken);
      if (batch.caughtUp) break;
    }
  });
});

describe('the pages of 3-D Secure', () => {
  let http: HttpService;
  before(async () => {
    http = await serveHttp({ sandboxInMemory: true });
  });
  after(() => http.stop());

  const at = (path: string, init?: RequestInit): Promise<Response> =>
    fetch(`http://127.0.0.1:${http.port}${path}`, { redirect: 'manual', ...init });
  const sent = (path: string, form: { readonly [name: string]: string }): Promise<Response> =>
    at(path, { method: 'POST', body: new URLSearchParams(form) });

  it('name no returnUrl in their policy that would end a directive or begin another policy', async () => {
    for (const host of ['a;frame-src', 'a,default-src', 'a;b.example:8443']) {
      const { page } = await challenged(http, { fields: { returnUrl: `https://${host}/back` } });
      const policy = (await at(page)).headers.get('Content-Security-Policy') ?? '';
      expect(policy, host)
        .to.include("form-action 'self'; frame-ancestors *")
        .and.not.include(host)
        .and.not.include(',');
    }
  });

  it('challenge the customer without script, in any frame of test mode', async () => {
    const { page } = await challenged(http, { fields: { returnUrl: 'https://shop.example/back' } });
    const shown = await at(page);
    const text = await shown.text();
    expect(shown.status).to.equal(200);
    expect(shown.headers.get('Content-Type')).to.equal('text/html; charset=utf-8');
    expect(shown.headers.get('Cache-Control')).to.equal('no-store');
    const policy = shown.headers.get('Content-Security-Policy') ?? '';
    expect(policy)
      .to.include("default-src 'none'")
      .and.include('frame-ancestors *')
      .and.include("form-action 'self' https://shop.example;");
    expect(policy).to.not.include('script-src');
    expect(text)
      .to.include('10.00 EUR')
      .and.include('value="approve"')
      .and.include('value="fail"')
      .and.not.include('<script');
  });

  it('say who asks, for how much and with which card, and take a name for what it is', async () => {
    const { page } = await challenged(http);
    expect(await (await at(page)).text()).to.match(/<bdi>Shop<\/bdi>.*10\.00 EUR.*••••.*3220/s);
    const fish = await openMerchant('Fish & "Chips" <script>alert(1)</script>', http.service, http.request);
    const { page: other } = await challenged({ ...http, shop: fish });
    const text = await (await at(other)).text();
    expect(text)
      .to.include('Fish &amp; &quot;Chips&quot; &lt;script&gt;alert(1)&lt;/script&gt;')
      .and.not.include('<script');
  });

  it('take one answer, and lead back again whatever is answered later', async () => {
    const { id, page } = await challenged(http);
    for (const outcome of ['fail', 'approve'] as const)
      expect((await answered(http, page, outcome)).searchParams.get('paymentId')).to.equal(id);
    expect(await (await at(page)).text())
      .to.include('has failed')
      .and.include('Back to the shop');
  });

  it('refuse an invalid choice, and know no other page', async () => {
    const { page } = await challenged(http);
    expect((await sent(page, { outcome: 'maybe' })).status).to.equal(422);
    expect((await sent(page, {})).status).to.equal(422);
    expect(
      (await at(page, { method: 'POST', body: '{}', headers: { 'Content-Type': 'application/json' } })).status,
    ).to.equal(415);
    expect((await sent(page, { outcome: 'approve', more: 'x'.repeat(2_000) })).status).to.equal(413);
    expect((await at(`${page.slice(0, -8)}00000000`)).status).to.equal(404);
    expect((await sent(`${page.slice(0, -8)}00000000`, { outcome: 'approve' })).status).to.equal(404);
    expect((await at('/checkout/sandbox-acs/none')).status).to.equal(404);
  });

  it('tell the page that framed them, by a script of our own', async () => {
    const back = await at('/checkout/3ds/return?account=acc_1&paymentId=pay_1&resumeToken=res_1');
    const text = await back.text();
    expect(back.headers.get('Content-Security-Policy'))
      .to.include("script-src 'self'")
      .and.include('frame-ancestors *');
    expect(text).to.include('/checkout/3ds/return.js').and.not.include('res_1');
    const script = await at('/checkout/3ds/return.js');
    expect(script.headers.get('Content-Type')).to.equal('text/javascript; charset=utf-8');
    expect(await script.text())
      .to.include('counterfoil.3ds.return')
      .and.include('postMessage');
  });
});
