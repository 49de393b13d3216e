// Webhooks, the sandbox's books, and public routes without faults (contract §§8, 9).
import { expect } from 'chai';
import { z } from 'zod';
import { paymentIdOfReference } from '../../src/domain/payment/reference.ts';
import { signatureOf } from '../../src/processors/sandbox/notifications.ts';
import { formatTime } from '../../src/world.ts';
import { appendedBy } from '../support/http-appended.ts';
import { bodyOf, CARDS } from '../support/http-merchant.ts';
import { type HttpService, serveHttp } from '../support/http-service.ts';
import { until } from '../support/until.ts';

const Ledger = z.strictObject({
  data: z.array(z.looseObject({ reference: z.string(), operation: z.string(), outcome: z.string() })),
  nextCursor: z.string().optional(),
});
const Events = z.looseObject({
  data: z.array(
    z.looseObject({
      type: z.string(),
      data: z.looseObject({
        reference: z.string().optional(),
        evidence: z.looseObject({ source: z.string() }).optional(),
      }),
    }),
  ),
});

describe('webhooks, the sandbox and public routes, over HTTP', () => {
  let http: HttpService;
  before(async () => {
    http = await serveHttp();
  });
  after(() => http.stop());

  const eventsOf = async (paymentId: string) =>
    bodyOf(await http.shop.ask('GET', `/payments/${paymentId}/events`), Events).data;
  const referenceIn = async (paymentId: string, type: string): Promise<string> =>
    (await eventsOf(paymentId)).findLast((event) => event.type === type)?.data.reference ?? '';
  const notify = (key: string, notification: object) => {
    const { stores, world, request } = http;
    const [secret = Buffer.alloc(0)] = stores.secrets.keys('sandbox-signature');
    const text = JSON.stringify({
      occurredAt: formatTime(world.now()),
      processorTransactionId: 'sbx_1',
      amount: 1000,
      currencyCode: 'EUR',
      ...notification,
    });
    return request('POST', '/webhooks/sandbox', {
      key,
      text,
      headers: { 'content-type': 'application/json', 'x-sandbox-signature': signatureOf(secret, text, world.now()) },
    });
  };
  const Status = z.looseObject({ status: z.string() });
  const untilStatus = (paymentId: string, status: string): Promise<void> =>
    until(async () => bodyOf(await http.shop.ask('GET', `/payments/${paymentId}`), Status).status === status);

  describe('POST /webhooks/sandbox', () => {
    it('stores the notification, answers 202, and settles the attempt that it names', async () => {
      const { shop, stores } = http;
      const { id } = await shop.paid({ card: CARDS.captureLater });
      await shop.ask('POST', `/payments/${id}/capture`);
      const reference = await referenceIn(id, 'CaptureRequested');
      const { key } = await shop.keyFor('third_party:webhook_trigger');
      const told = {
        notificationId: `n-${id}`,
        type: 'capture.succeeded',
        reference,
        occurredAt: formatTime(http.world.now()),
      };
      const received = await appendedBy(stores.events, () => notify(key, told));
      expect([received.answer.status, received.answer.body]).to.deep.equal([202, { status: 'RECEIVED' }]);
      expect(received.types[0]).to.equal('notification NotificationReceived');
      await untilStatus(id, 'SETTLED');
      const captured = (await eventsOf(id)).at(-1);
      expect(captured?.type).to.equal('PaymentCaptured');
      expect(captured?.data.evidence).to.include({ source: 'notification' }); // and not a look-up
      const again = await appendedBy(stores.events, () => notify(key, told));
      expect([again.answer.status, again.types.filter((type) => type.startsWith('payment '))]).to.deep.equal([202, []]);
    });

    it('of another account, about our payment, is taken and does not change the payment', async () => {
      const { shop, other, stores } = http;
      const { id } = await shop.paid({ card: CARDS.captureLater });
      await shop.ask('POST', `/payments/${id}/capture`);
      const reference = await referenceIn(id, 'CaptureRequested');
      const parked = stores.events.follow(await stores.events.head(), ['notification'], AbortSignal.timeout(120_000));
      const { status } = await notify(other.key, {
        notificationId: `foreign-${id}`,
        type: 'capture.succeeded',
        reference,
      });
      expect(status).to.equal(202);
      const types: string[] = [];
      for await (const { events } of parked) {
        types.push(...events.map(({ type }) => type));
        if (types.length >= 2) break;
      }
      expect(types).to.deep.equal(['NotificationReceived', 'NotificationParked']);
      expect((await shop.ask('GET', `/payments/${id}`)).body).to.include({ status: 'SETTLING' });
    });
  });

  it('GET /sandbox/ledger tells every effect', async () => {
    const { shop } = http;
    const { id } = await shop.paid();
    const { data } = bodyOf(await shop.ask('GET', '/sandbox/ledger'), Ledger);
    const ours = data.filter(({ reference }) => paymentIdOfReference(reference) === id);
    expect(
      ours.map(({ operation, outcome, amount, currencyCode }) => [operation, outcome, amount, currencyCode]),
    ).to.deep.equal([['authorization', 'succeeded', 1000, 'EUR']]);
  });

  it("GET /sandbox/ledger does not show another account's payments", async () => {
    const { shop, other } = http;
    const [{ id: ours }, { id: theirs }] = [await shop.paid(), await other.paid()];
    const [seenByUs, seenByThem] = [
      await shop.ask('GET', '/sandbox/ledger'),
      await other.ask('GET', '/sandbox/ledger'),
    ];
    const paymentsIn = (seen: typeof seenByUs) =>
      bodyOf(seen, Ledger).data.map(({ reference }) => paymentIdOfReference(reference));
    expect(paymentsIn(seenByUs)).to.include(ours).and.not.to.include(theirs);
    expect(paymentsIn(seenByThem)).to.include(theirs).and.not.to.include(ours);
  });

  it('GET /sandbox/ledger comes in pages, with a cursor that is good for this account alone', async () => {
    const { shop, other } = http;
    await shop.captured();
    const all = bodyOf(await shop.ask('GET', '/sandbox/ledger?limit=1000'), Ledger);
    expect(all).not.to.have.property('nextCursor');
    const pages: string[] = [];
    let cursor: string | undefined;
    do {
      const from: string = cursor === undefined ? '' : `&cursor=${cursor}`;
      const page = bodyOf(await shop.ask('GET', `/sandbox/ledger?limit=1${from}`), Ledger);
      expect(page.data).to.have.length(1);
      pages.push(...page.data.map(({ reference }) => reference));
      if (cursor !== undefined)
        expect((await other.ask('GET', `/sandbox/ledger?cursor=${cursor}`)).error?.errorId).to.equal('InvalidCursor');
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(pages).to.deep.equal(all.data.map(({ reference }) => reference));
    for (const limit of ['0', '1001', 'x', '1.5'])
      expect((await shop.ask('GET', `/sandbox/ledger?limit=${limit}`)).status, limit).to.equal(422);
  });

  it('PUT /sandbox/faults replaces the rules of the account, GET shows them, and no other account has them', async () => {
    const { shop, other } = http;
    const rules = [
      {
        match: { operation: 'capture', amount: 987_654, card: '4242 4242 4242 4242' },
        do: { phase: 'before_effect', fault: '503', times: 2 },
      },
      { match: { operation: 'refund', nth: 9_999 }, do: { drop: true } },
    ];
    const counts = rules.map(() => ({ matched: 0, applied: 0 }));
    const kept = [{ ...rules[0], match: { ...rules[0]?.match, card: 'approved' } }, rules[1]]; // no card number is kept
    const put = await shop.ask('PUT', '/sandbox/faults', { seed: 7, rules });
    expect([put.status, put.body]).to.deep.equal([200, { seed: 7, rules: kept, counts }]);
    expect((await shop.ask('GET', '/sandbox/faults')).body).to.deep.equal({ seed: 7, rules: kept, counts });
    expect((await other.ask('GET', '/sandbox/faults')).body).to.deep.equal({ seed: 0 });
    expect((await shop.ask('PUT', '/sandbox/faults', { seed: 0, rules: [] })).body).to.deep.equal({ seed: 0 });
    expect((await shop.ask('GET', '/sandbox/faults')).body).to.deep.equal({ seed: 0 });
  });

  it('PUT /sandbox/faults names the fault in a rule, and keeps the earlier rules', async () => {
    const { shop } = http;
    const { status, error } = await shop.ask('PUT', '/sandbox/faults', {
      seed: 7,
      rules: [
        {
          match: { operation: 'capture', card: '4111111111111111' },
          do: { phase: 'before_send', fault: 'wrong_amount' },
        },
        { match: { operation: 'payment' }, do: {}, why: '4242424242424242' },
      ],
    });
    expect([status, error?.errorId]).to.deep.equal([422, 'RequestValidationError']);
    const said = (error?.validationErrors ?? []).flatMap(({ errors }) =>
      errors.map(({ path, description }) => `${path} ${description}`),
    );
    expect(said.map((line) => line.replace(/(Must be one of authorization).*/, '$1'))).to.deep.equal([
      '$.rules[0].match.card Must be one of the test cards.',
      '$.rules[0].do.phase Must be one of after_effect_before_reply, during_reply for wrong_amount.',
      '$.rules[1].match.operation Must be one of authorization',
      '$.rules[1].do Must name a phase and a fault, or the effect on the notification.',
      '$.rules[1].why Unknown field.',
      '$.rules[1].why Must not hold a card number.',
    ]);
    expect((await shop.ask('GET', '/sandbox/faults')).body).to.deep.equal({ seed: 0 });
  });

  it('GET /sandbox/scenarios lists every card that tests pay with', async () => {
    const { text, status } = await http.shop.ask('GET', '/sandbox/scenarios');
    expect(status).to.equal(200);
    for (const number of Object.values(CARDS)) expect(text).to.contain(number);
  });

  it('GET /health/live and /health/ready need no key', async () => {
    expect((await http.request('GET', '/health/live')).body).to.deep.equal({ status: 'live' });
    expect((await http.request('GET', '/health/ready')).body).to.deep.equal({ status: 'ready' });
  });

  it('GET /openapi.json needs no key, and HEAD answers as GET does', async () => {
    const get = await http.request('GET', '/openapi.json');
    expect([get.status, get.headers['content-type']]).to.deep.equal([200, 'application/json; charset=utf-8']);
    const head = await http.request('HEAD', '/openapi.json');
    expect([head.status, head.headers['content-length'], head.text]).to.deep.equal([
      200,
      get.headers['content-length'],
      '',
    ]);
  });

  it('GET / leads to the documentation', async () => {
    for (const method of ['GET', 'HEAD']) {
      const { status, headers } = await http.request(method, '/');
      expect([status, headers.location]).to.deep.equal([302, '/docs']);
    }
    expect((await http.request('POST', '/')).headers.allow).to.equal('HEAD, GET');
  });

  describe('and all the while', () => {
    it('the service never met a fault', () => {
      expect(http.faults).to.deep.equal([]);
    });
  });
});
