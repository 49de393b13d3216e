// Methods of payment besides cards over HTTP: what a session offers, each method's way to its money, and back
// (contract §4, "Methods").
import { expect } from 'chai';
import { z } from 'zod';
import { defaultTimings } from '../../src/commands/payment-timings.ts';
import { answered, resumeTokenIn } from '../support/challenged.ts';
import { appendedBy, causedBy } from '../support/http-appended.ts';
import { bodyOf, CARDS } from '../support/http-merchant.ts';
import type { Answer } from '../support/http-request.ts';
import { type HttpService, serveHttp } from '../support/http-service.ts';
import { until } from '../support/until.ts';

const DAY_MS = 86_400_000;
const AUTOMATIC = { paymentMethod: { captureMode: 'AUTOMATIC' } };
const DEBITS = {
  paid: 'DE89 3704 0044 0532 0130 00',
  refused: 'DE62370400440532013001',
  returned: 'DE35370400440532013002',
};

const Token = z.looseObject({
  token: z.string(),
  paymentMethodType: z.string(),
  paymentMethodData: z.record(z.string(), z.unknown()).optional(),
});
const Paid = z.looseObject({
  id: z.string(),
  status: z.string(),
  outcomeKnown: z.boolean(),
  processor: z.looseObject({
    amountAuthorized: z.number(),
    amountCapturable: z.number(),
    amountCaptured: z.number(),
    amountRefundable: z.number(),
  }),
  requiredAction: z
    .looseObject({
      name: z.string(),
      url: z.string().optional(),
      data: z.record(z.string(), z.string()).optional(),
      expiresAt: z.string().optional(),
      clientToken: z.string().optional(),
    })
    .optional(),
  statusReason: z.looseObject({ type: z.string() }).optional(),
});
type Paid = z.infer<typeof Paid>;
const Events = z.looseObject({
  data: z.array(
    z.looseObject({
      type: z.string(),
      data: z.looseObject({ evidence: z.looseObject({ source: z.string() }).optional() }),
    }),
  ),
});
const Session = z.looseObject({
  paymentInstruments: z
    .array(z.looseObject({ token: z.string(), paymentMethodData: z.record(z.string(), z.unknown()) }))
    .optional(),
  paymentMethods: z.array(z.looseObject({ paymentMethodType: z.string() })).optional(),
});
const Ledger = z.looseObject({
  data: z.array(
    z.looseObject({ operation: z.string(), amount: z.number(), outcome: z.string(), reference: z.string() }),
  ),
});

describe('methods of payment besides cards', () => {
  let http: HttpService;
  let delivering: Promise<void>;
  const ending = new AbortController();
  before(async () => {
    http = await serveHttp({ sandboxInMemory: true, timings: { ...defaultTimings, answerWithinMs: 2_000 } });
    const { sandbox } = http.stores;
    await sandbox.connect({ accountId: http.shop.accountId, apiKey: http.shop.key });
    delivering = sandbox.run(`http://127.0.0.1:${http.port}`, ending.signal);
  });
  after(async () => {
    ending.abort();
    await delivering;
    await http.stop();
  });

  const tokenize = (clientToken: string, method: object): Promise<Answer> =>
    http.request('POST', '/checkout/payment-instruments', { token: clientToken, body: { method } });
  const begin = async (method: object, fields: object = AUTOMATIC): Promise<Answer> =>
    beginIn(await http.shop.session(fields), method);
  const beginIn = async (clientToken: string, method: object): Promise<Answer> => {
    const { token } = bodyOf(await tokenize(clientToken, method), Token);
    return http.shop.ask('POST', '/payments', { paymentMethodToken: token, clientToken });
  };
  const read = async (id: string): Promise<Paid> => bodyOf(await http.shop.ask('GET', `/payments/${id}`), Paid);
  const types = async (id: string): Promise<readonly string[]> =>
    bodyOf(await http.shop.ask('GET', `/payments/${id}/events?limit=100`), Events).data.map(({ type }) => type);
  /** What reported the success of its authorization. */
  const foundBy = async (id: string): Promise<string | undefined> => {
    const { data } = bodyOf(await http.shop.ask('GET', `/payments/${id}/events?limit=100`), Events);
    return data.find(({ type }) => type === 'PaymentAuthorized')?.data.evidence?.source;
  };
  const laterBy = (ms: number): void => {
    http.world.advance(ms);
    http.service.lookAtOnce();
  };
  const becomes = async (id: string, status: string): Promise<Paid> => {
    await until(async () => (await read(id)).status === status);
    return read(id);
  };
  const back = async ({ id, requiredAction }: Paid, outcome: 'approve' | 'fail'): Promise<Paid> => {
    const location = await answered(http, new URL(requiredAction?.url ?? '').pathname, outcome);
    const body = { resumeToken: resumeTokenIn(location) };
    return bodyOf(await http.shop.ask('POST', `/payments/${id}/resume`, body), Paid);
  };
  const offered = async (fields: object): Promise<readonly string[]> => {
    const token = await http.shop.session(fields);
    const { paymentMethods = [] } = bodyOf(await http.request('GET', '/checkout/session', { token }), Session);
    return paymentMethods.map(({ paymentMethodType }) => paymentMethodType);
  };

  describe('a session offers', () => {
    const SEPARATE = ['PAYMENT_CARD', 'KLARNA', 'PAYPAL', 'APPLE_PAY', 'GOOGLE_PAY'];

    it('those that can be captured later, as long as the merchant captures', async () => {
      expect(await offered({})).to.deep.equal(SEPARATE);
    });

    it('all that its currency and its amount allow, where the money is taken at once', async () => {
      expect(await offered(AUTOMATIC)).to.have.members([
        ...SEPARATE,
        'IDEAL',
        'BANCONTACT',
        'SEPA_DEBIT',
        'MULTIBANCO',
      ]);
      expect(await offered({ ...AUTOMATIC, amount: 1_000_001 })).not.to.include('SEPA_DEBIT');
      expect(await offered({ ...AUTOMATIC, currencyCode: 'JPY' })).to.deep.equal([
        'PAYMENT_CARD',
        'APPLE_PAY',
        'GOOGLE_PAY',
      ]);
    });

    it('all where the lists of the merchant are empty, as where they are absent', async () => {
      const empty = { orderedAllowedMethods: [], orderedAllowedCardNetworks: [] };
      const all = await offered(AUTOMATIC);
      expect(await offered({ paymentMethod: { ...AUTOMATIC.paymentMethod, ...empty } })).to.deep.equal(all);
    });

    it('only those that the merchant names, in that order', async () => {
      const orderedAllowedMethods = ['IDEAL', 'PAYMENT_CARD'];
      const fields = { paymentMethod: { captureMode: 'AUTOMATIC', orderedAllowedMethods } };
      expect(await offered(fields)).to.deep.equal(orderedAllowedMethods);
      const refused = await tokenize(await http.shop.session(fields), { type: 'KLARNA' });
      expect([refused.status, refused.error?.errorId]).to.deep.equal([422, 'RequestValidationError']);
      expect(refused.text).to.include('$.method.type');
    });

    it('no card where the merchant names other methods, at its token and at a payment with an older one', async () => {
      const narrow = { captureMode: 'AUTOMATIC', orderedAllowedMethods: ['IDEAL'] };
      const narrowed = await http.shop.session({ paymentMethod: narrow });
      const card = { number: '4242424242424242', expirationMonth: '12', expirationYear: '2039', cvc: '123' };
      const refused = await http.request('POST', '/checkout/payment-instruments', { token: narrowed, body: { card } });
      expect([refused.status, refused.text.includes('"$.card"')]).to.deep.equal([422, true]);
      const clientToken = await http.shop.session(AUTOMATIC);
      const paymentMethodToken = await http.shop.tokenize(clientToken);
      await http.shop.ask('PATCH', '/client-session', { clientToken, paymentMethod: narrow });
      const late = await http.shop.ask('POST', '/payments', { paymentMethodToken, clientToken });
      expect([late.status, late.error?.errorId]).to.deep.equal([400, 'InvalidPaymentInstrumentToken']);
    });
  });

  describe('saved instruments', () => {
    const customerId = 'c-saved';
    const saved = async (method: object): Promise<string> => {
      const { token } = bodyOf(await tokenize(await http.shop.session(AUTOMATIC), method), Token);
      const kept = await http.shop.ask('POST', `/payment-instruments/${token}/vault`, { customerId });
      expect(kept.status, kept.text).to.equal(200);
      return token;
    };
    let [wallet, visa, mastercard, account] = ['', '', '', ''];
    before(async () => {
      wallet = await saved({ type: 'APPLE_PAY', token: 'sandbox:approved' });
      visa = await http.shop.vaulted(customerId);
      mastercard = await http.shop.vaulted(customerId, CARDS.otherApproved);
      const debit = { type: 'SEPA_DEBIT', iban: DEBITS.paid, accountHolderName: 'Ada', mandateAccepted: true };
      account = await saved(debit);
    });

    const narrowings: readonly [object, () => readonly string[]][] = [
      [{}, () => [wallet, visa, mastercard, account]],
      [{ orderedAllowedMethods: ['PAYMENT_CARD'] }, () => [visa, mastercard]],
      [{ orderedAllowedMethods: ['APPLE_PAY', 'SEPA_DEBIT'] }, () => [wallet, account]],
      [{ orderedAllowedMethods: ['IDEAL'] }, () => []],
      [{ orderedAllowedCardNetworks: ['MASTERCARD'] }, () => [mastercard, account]],
    ];
    for (const [narrow, listed] of narrowings)
      it(`are listed if the payment accepts them, with ${JSON.stringify(narrow)}`, async () => {
        const session = () => http.shop.session({ customerId, paymentMethod: { captureMode: 'AUTOMATIC', ...narrow } });
        const drawn = bodyOf(await http.request('GET', '/checkout/session', { token: await session() }), Session);
        expect((drawn.paymentInstruments ?? []).map(({ token }) => token)).to.have.members(listed());
        for (const paymentMethodToken of [wallet, visa, mastercard, account]) {
          const clientToken = await session();
          const answer = await http.shop.ask('POST', '/payments', { paymentMethodToken, clientToken });
          const isListed = listed().includes(paymentMethodToken);
          expect([answer.status, answer.error?.errorId]).to.deep.equal(
            isListed ? [200, undefined] : [400, 'InvalidPaymentInstrumentToken'],
          );
        }
      });

    it('of an account have its bank and its last four characters', async () => {
      const token = await http.shop.session({ customerId, ...AUTOMATIC });
      const { paymentInstruments = [] } = bodyOf(await http.request('GET', '/checkout/session', { token }), Session);
      const data = paymentInstruments.find((one) => one.token === account)?.paymentMethodData;
      expect(data).to.deep.equal({ bankName: 'Sandbox Bank', ibanLast4: '3000' });
    });
  });

  describe('a payment is refused before anything is written', () => {
    const refusals: readonly [string, object, object, string][] = [
      ['a bank transfer that would be captured later', { type: 'IDEAL' }, {}, '$.paymentMethod.captureMode'],
      ['a currency that the method does not have', { type: 'PAYPAL' }, { currencyCode: 'JPY' }, '$.currencyCode'],
      ['more than the method takes', { type: 'IDEAL' }, { ...AUTOMATIC, amount: 5_000_001 }, '$.amount'],
    ];
    for (const [what, method, fields, path] of refusals)
      it(`for ${what}`, async () => {
        const clientToken = await http.shop.session(fields);
        const { token } = bodyOf(await tokenize(clientToken, method), Token);
        const refused = await appendedBy(http.stores.events, () =>
          http.shop.ask('POST', '/payments', { paymentMethodToken: token, clientToken }),
        );
        expect([refused.answer.status, refused.answer.error?.errorId]).to.deep.equal([422, 'RequestValidationError']);
        expect(refused.answer.text).to.include(path);
        expect(causedBy(refused)).to.deep.equal([]);
      });
  });

  describe('a token is refused before anything is written', () => {
    const refusedFor = async (method: object, fields: object = AUTOMATIC): Promise<Answer> => {
      const clientToken = await http.shop.session(fields);
      const refused = await appendedBy(http.stores.events, () => tokenize(clientToken, method));
      const { answer } = refused;
      expect([answer.status, answer.error?.errorId]).to.deep.equal([422, 'RequestValidationError']);
      expect(causedBy(refused)).to.deep.equal([]);
      return answer;
    };

    it('for a wallet whose card is of a network that the session does not name, at the token of the wallet', async () => {
      const fields = { paymentMethod: { orderedAllowedCardNetworks: ['MASTERCARD'] } };
      const { text } = await refusedFor({ type: 'APPLE_PAY', token: 'sandbox:approved' }, fields);
      expect(text).to.include('"$.method.token"');
    });

    it('for another method under the key of the first', async () => {
      const token = await http.shop.session(AUTOMATIC);
      const ask = (type: string): Promise<Answer> =>
        http.request('POST', '/checkout/payment-instruments', {
          token,
          body: { method: { type } },
          headers: { 'X-Idempotency-Key': 'one-method' },
        });
      const [first, again] = [await ask('IDEAL'), await ask('IDEAL')];
      expect([first.status, again.body]).to.deep.equal([200, first.body]);
      const refused = await appendedBy(http.stores.events, () => ask('BANCONTACT'));
      const { status, error } = refused.answer;
      expect([status, error?.errorId, causedBy(refused)]).to.deep.equal([422, 'IdempotencyKeyReused', []]);
    });

    it('for an account that is no IBAN, or is not in the table of the sandbox, or without the mandate', async () => {
      const debit = { type: 'SEPA_DEBIT', iban: DEBITS.paid, accountHolderName: 'Ada', mandateAccepted: true };
      for (const wrong of [
        { iban: 'DE00370400440532013000' },
        { iban: 'NL91ABNA0417164300' },
        { mandateAccepted: false },
        { accountHolderName: ' ' },
      ]) {
        const { text } = await refusedFor({ ...debit, ...wrong });
        expect(text).not.to.include('0417164300');
      }
    });
  });

  const drop = { match: { operation: 'authorization' }, do: { phase: 'after_reply', fault: 'drop' } };
  const withoutNotifications = async <T>(work: () => Promise<T>): Promise<T> => {
    await http.shop.ask('PUT', '/sandbox/faults', { rules: [drop] });
    try {
      return await work();
    } finally {
      await http.shop.ask('PUT', '/sandbox/faults', { rules: [] });
    }
  };

  for (const type of ['IDEAL', 'BANCONTACT'])
    describe(type, () => {
      it('leads to a page, and takes the money with the authorization', async () => {
        const begun = bodyOf(await begin({ type }), Paid);
        expect(begun.status).to.equal('PENDING');
        expect(begun.requiredAction?.name).to.equal('PAYMENT_METHOD_REDIRECT');
        const paid = await back(begun, 'approve');
        expect(paid.status).to.equal('SETTLED');
        expect(paid.processor).to.include({ amountCaptured: 1000, amountCapturable: 0, amountRefundable: 1000 });
        expect((await types(paid.id)).slice(-3)).to.deep.equal([
          'PaymentAuthorized',
          'CaptureRequested',
          'PaymentCaptured',
        ]);
        const { data } = bodyOf(await http.shop.ask('GET', '/sandbox/ledger?limit=100'), Ledger);
        const lines = data.filter(({ reference }) => reference.startsWith(paid.id.slice('pay_'.length)));
        expect(lines.map(({ operation, outcome }) => [operation, outcome])).to.deep.equal([
          ['authorization', 'succeeded'],
        ]);
      });

      it('is declined where the customer refuses, and the session is open again', async () => {
        const clientToken = await http.shop.session(AUTOMATIC);
        const begun = bodyOf(await beginIn(clientToken, { type }), Paid);
        const { answer: declined, types: written } = await appendedBy(http.stores.events, () => back(begun, 'fail'));
        expect([declined.status, declined.statusReason?.type]).to.deep.equal(['DECLINED', 'ISSUER_DECLINE']);
        expect(written).to.include('clientSession ClientSessionReleased');
        const again = await back(bodyOf(await beginIn(clientToken, { type }), Paid), 'approve');
        expect(again.status).to.equal('SETTLED');
        expect(again.id).not.to.equal(declined.id);
      });

      it('can be left and opened again within an hour of the first visit', async () => {
        const begun = bodyOf(await begin({ type }), Paid);
        const leave = async (): Promise<Paid> => {
          const page = `http://127.0.0.1:${http.port}${new URL(begun.requiredAction?.url ?? '').pathname}`;
          const [, resumeToken] = /resumeToken=(\w+)/.exec(await (await fetch(page)).text()) ?? [];
          return bodyOf(await http.shop.ask('POST', `/payments/${begun.id}/resume`, { resumeToken }), Paid);
        };
        laterBy(2_400_000);
        const left = await leave();
        expect([left.status, left.requiredAction?.name]).to.deep.equal(['PENDING', 'PAYMENT_METHOD_REDIRECT']);
        laterBy(1_300_000);
        await becomes(begun.id, 'FAILED');
      });

      it('that was paid is found after minutes, with its page closed and its notification lost', async () => {
        const begun = await withoutNotifications(async () => bodyOf(await begin({ type }), Paid));
        await answered(http, new URL(begun.requiredAction?.url ?? '').pathname, 'approve');
        laterBy(301_000);
        await becomes(begun.id, 'SETTLED');
        expect(await foundBy(begun.id)).to.equal('lookup');
      });

      it('is asked about at growing distances while nobody acts, and has failed after an hour', async () => {
        const begun = bodyOf(await begin({ type }), Paid);
        const lookUps = async (): Promise<number> =>
          (await types(begun.id)).filter((one) => one === 'LookUpRecorded').length;
        for (const [ms, asked] of [
          [301_000, 1],
          [601_000, 2],
          [1_201_000, 3],
        ] as const) {
          laterBy(ms);
          await until(async () => (await lookUps()) === asked);
        }
        laterBy(1_500_000);
        await becomes(begun.id, 'FAILED');
      });

      it('is refunded in parts, which are pending at first', async () => {
        const { id } = await back(bodyOf(await begin({ type }), Paid), 'approve');
        const refunding = bodyOf(await http.shop.ask('POST', `/payments/${id}/refund`, { amount: 400 }), Paid);
        expect(refunding.processor).to.include({ amountRefundable: 600, amountRefunded: 0 });
        laterBy(6_000);
        await until(async () => (await types(id)).includes('RefundSucceeded'));
        expect((await read(id)).processor).to.include({ amountCaptured: 1000, amountRefunded: 400 });
      });
    });

  for (const type of ['KLARNA', 'PAYPAL'])
    it(`${type} leads to a page, holds the money, and is captured later`, async () => {
      const begun = bodyOf(await begin({ type }, {}), Paid);
      expect(begun.requiredAction?.name).to.equal('PAYMENT_METHOD_REDIRECT');
      const { id, status } = await back(begun, 'approve');
      expect(status).to.equal('AUTHORIZED');
      const captured = bodyOf(
        await http.shop.ask('POST', `/payments/${id}/capture`, { amount: 600, final: true }),
        Paid,
      );
      expect(captured.processor).to.include({ amountCaptured: 600, amountCapturable: 0 });
    });

  for (const type of ['APPLE_PAY', 'GOOGLE_PAY'])
    it(`${type} pays with the card that is in it`, async () => {
      const clientToken = await http.shop.session();
      const made = bodyOf(await tokenize(clientToken, { type, token: 'sandbox:approved' }), Token);
      expect(made.paymentMethodType).to.equal('PAYMENT_CARD');
      expect(made.paymentMethodData).to.include({ network: 'VISA', last4Digits: '4242', wallet: type });
      const answer = await http.shop.ask('POST', '/payments', { paymentMethodToken: made.token, clientToken });
      expect(bodyOf(answer, Paid).status).to.equal('AUTHORIZED');
    });

  describe('SEPA_DEBIT', () => {
    const debit = (iban: string): object => ({
      type: 'SEPA_DEBIT',
      iban,
      accountHolderName: 'Ada Lovelace',
      mandateAccepted: true,
    });

    it('is looked up daily while its money is on the way, and is settled then', async () => {
      const begun = bodyOf(await begin(debit(DEBITS.paid)), Paid);
      expect([begun.status, begun.statusReason?.type]).to.deep.equal(['PENDING', 'AWAITING_FUNDS']);
      expect(begun.outcomeKnown).to.equal(false);
      const lookUps = async (): Promise<number> =>
        (await types(begun.id)).filter((type) => type === 'LookUpRecorded').length;
      for (const day of [1, 2, 3, 4]) {
        laterBy(DAY_MS);
        await until(async () => (await lookUps()) >= day);
        expect(await lookUps()).to.equal(day);
        expect((await read(begun.id)).status).to.equal('PENDING');
      }
      laterBy(2 * DAY_MS);
      const { processor } = await becomes(begun.id, 'SETTLED');
      expect(processor).to.include({ amountAuthorized: 1000, amountCaptured: 1000 });
    });

    it('that the bank refuses days later is declined', async () => {
      const { id } = bodyOf(await begin(debit(DEBITS.refused)), Paid);
      laterBy(6 * DAY_MS);
      const { statusReason } = await becomes(id, 'DECLINED');
      expect(statusReason).to.include({ type: 'ISSUER_DECLINE', code: 'INSUFFICIENT_FUNDS' });
    });

    it('that the bank takes back weeks after its success has failed, and nothing can be refunded', async () => {
      const { id } = bodyOf(await begin(debit(DEBITS.returned)), Paid);
      laterBy(6 * DAY_MS);
      await becomes(id, 'SETTLED');
      laterBy(22 * DAY_MS);
      const { processor, statusReason } = await becomes(id, 'FAILED');
      expect(statusReason?.type).to.equal('ISSUER_DECLINE');
      expect(processor).to.include({ amountCaptured: 0, amountCapturable: 0, amountRefundable: 0 });
      expect((await types(id)).slice(-2)).to.deep.equal(['AuthorizationExpired', 'CaptureReturned']);
    });

    it('that is cancelled while its money is on the way gives the money back when it comes', async () => {
      const { id } = bodyOf(await begin(debit(DEBITS.paid)), Paid);
      expect((await http.shop.ask('POST', `/payments/${id}/cancel`)).status).to.equal(202);
      laterBy(6 * DAY_MS);
      await becomes(id, 'CANCELLED');
      await until(async () => (await types(id)).includes('RefundSucceeded'));
      expect(await types(id))
        .to.include.members(['LateSuccessRecorded', 'RefundRequested'])
        .and.not.include('CancellationRequested');
    });
  });

  describe('MULTIBANCO', () => {
    const pay = (url: string): Promise<Response> =>
      fetch(`http://127.0.0.1:${http.port}${new URL(url).pathname}`, {
        method: 'POST',
        body: new URLSearchParams({ outcome: 'approve' }),
      });
    const voucher = async (): Promise<{ readonly id: string; readonly url: string; readonly expiresAt: string }> => {
      const { id, status, statusReason, requiredAction } = bodyOf(await begin({ type: 'MULTIBANCO' }), Paid);
      expect([status, statusReason?.type, requiredAction?.name]).to.deep.equal([
        'PENDING',
        'AWAITING_FUNDS',
        'PAYMENT_METHOD_VOUCHER',
      ]);
      const { url = '', reference, entity } = requiredAction?.data ?? {};
      expect([reference?.length, entity?.length]).to.deep.equal([9, 5]);
      return { id, url, expiresAt: requiredAction?.expiresAt ?? '' };
    };

    it('shows numbers that are paid days later', async () => {
      const { id, url, expiresAt } = await voucher();
      expect(Date.parse(expiresAt) - http.world.now()).to.be.within(3 * DAY_MS - 60_000, 3 * DAY_MS);
      laterBy(2 * DAY_MS);
      expect((await pay(url)).status).to.equal(200);
      laterBy(6_000);
      const { processor } = await becomes(id, 'SETTLED');
      expect(processor.amountCaptured).to.equal(1000);
    });

    it('that nobody pays has failed when its time is over', async () => {
      const { id } = await voucher();
      laterBy(4 * DAY_MS);
      const { statusReason } = await becomes(id, 'FAILED');
      expect(statusReason?.type).to.equal('PAYMENT_EXPIRED');
    });

    it('that was paid is found a day later without its notification, and nobody ends the voucher', async () => {
      const { id, url } = await withoutNotifications(voucher);
      expect((await pay(url)).status).to.equal(200);
      laterBy(DAY_MS + 1_000);
      await becomes(id, 'SETTLED');
      expect(await foundBy(id)).to.equal('lookup');
      expect(await types(id)).not.to.include('AttemptFenced');
    });

    it('that was paid in its last seconds pays the payment, however late that is noticed', async () => {
      const { id, url } = await withoutNotifications(voucher);
      laterBy(DAY_MS + 1_000);
      await until(async () => (await types(id)).includes('LookUpRecorded'));
      expect((await pay(url)).status).to.equal(200);
      laterBy(4 * DAY_MS);
      const { processor } = await becomes(id, 'SETTLED');
      expect(processor.amountCaptured).to.equal(1000);
      expect(await foundBy(id)).to.equal('lookup');
      expect(await types(id)).not.to.include('LateSuccessRecorded');
    });

    it('that is paid too late is on record, and stays open for an operator, because a refund needs an account', async () => {
      const { id, url } = await voucher();
      laterBy(4 * DAY_MS);
      await becomes(id, 'FAILED');
      expect(await (await pay(url)).text()).to.include('You have paid');
      laterBy(6_000);
      await until(async () => (await types(id)).includes('RefundDeclined'));
      expect((await types(id)).slice(-3)).to.deep.equal(['LateSuccessRecorded', 'RefundRequested', 'RefundDeclined']);
    });
  });
});
