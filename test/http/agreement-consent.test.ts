// Agreements that begin in the checkout: the customer agrees to a text that is on record, and the session's payment
// activates the agreement; and sessions and links that give an agreement another payment method (contract §3 and
// contract §14).
import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { z } from 'zod';
import { formatTime } from '../../src/world.ts';
import { agreeIn, agreementOf, firstPayment, proposing, shownText, TERMS } from '../support/agreement-made.ts';
import { bodyOf, CARDS, paymentOf } from '../support/http-merchant.ts';
import { type HttpService, serveHttp } from '../support/http-service.ts';
import { until } from '../support/until.ts';

const DAY_MS = 86_400_000;
const WANTS_CUSTOMER = '4000009900005060';
const TEXTS: { readonly [language: string]: string } = {
  en: 'I agree that Acme Prints charges the payment method of this payment later: €19.00 every month, for “The magazine, each month”.',
  de: 'Ich stimme zu, dass Acme Prints die Zahlungsart dieser Zahlung später belastet: 19,00 € jeden Monat, für „The magazine, each month“.',
  es: 'Acepto que Acme Prints cobre más adelante con el medio de pago de este pago: 19,00 € cada mes, por «The magazine, each month».',
  fr: 'J’accepte que Acme Prints débite plus tard le moyen de paiement de ce paiement : 19,00 € chaque mois, pour « The magazine, each month ».',
  it: 'Accetto che Acme Prints addebiti in seguito il metodo di pagamento di questo pagamento: 19,00 € ogni mese, per «The magazine, each month».',
};

const Agreement = z.looseObject({
  status: z.string(),
  customerId: z.string(),
  paymentMethodToken: z.string().optional(),
  initial: z.looseObject({ paymentId: z.string() }).optional(),
  consent: z.looseObject({ acceptedAt: z.string(), shownText: z.string().optional() }),
});

describe('agreements in the checkout', () => {
  let http: HttpService;
  before(async () => {
    http = await serveHttp({ sandboxInMemory: true });
    await http.service.access.renameAccount(http.shop.accountId, 'Acme Prints');
  });
  after(() => http.stop());

  const ask = (method: string, path: string, body?: object) => http.shop.ask(method, path, body);
  const inCheckout = (token: string, method: string, path: string, body?: object) =>
    http.request(method, path, { token, ...(body !== undefined && { body }) });
  const payIn = async (clientToken: string, card?: string) =>
    inCheckout(clientToken, 'POST', '/checkout/payments', {
      paymentMethodToken: await http.shop.tokenize(clientToken, card),
    });
  const read = async (id: string): Promise<z.infer<typeof Agreement>> =>
    bodyOf(await ask('GET', `/agreements/${id}`), Agreement);
  const charge = (id: string, periodKey: string) =>
    ask('POST', `/agreements/${id}/charges`, { periodKey, orderId: `order-${periodKey}` });
  const active = async (id: string): Promise<void> => until(async () => (await read(id)).status === 'ACTIVE');
  const suspended = async (customerId: string): Promise<string> => {
    const id = await agreementOf(http, await firstPayment(http, customerId, { card: WANTS_CUSTOMER }));
    await charge(id, 'p');
    expect((await read(id)).status).to.equal('SUSPENDED');
    return id;
  };

  it('are PENDING with the consent, ACTIVE with the payment, and charged from then on', async () => {
    const { clientToken, customerId } = await proposing(http);
    const { text, textDigest, isAgreed } = await shownText(http, clientToken);
    expect({ text, isAgreed }).to.deep.equal({ text: TEXTS['en'], isAgreed: false });
    const body = { language: 'en', textDigest };
    const agreed = await http.request('POST', '/checkout/agreement', {
      token: clientToken,
      body,
      headers: { 'User-Agent': 'a browser' },
    });
    const { id, ...others } = bodyOf(agreed, z.looseObject({ id: z.string() }));
    expect(others).to.deep.equal({ status: 'PENDING' });
    const pending = await ask('GET', `/agreements/${id}`);
    expect(pending.body).to.deep.include({ status: 'PENDING', customerId, kind: 'RECURRING' });
    expect((await read(id)).consent).to.deep.include({
      channel: 'ONLINE',
      language: 'en',
      shownText: text,
      textDigest,
      userAgent: 'a browser',
      ipAddress: '127.0.0.1',
    });
    expect((await charge(id, 'p')).error?.errorId).to.equal('InvalidAgreementStatus');
    expect((await shownText(http, clientToken)).isAgreed).to.equal(true);
    expect((await ask('GET', `/client-session?clientToken=${clientToken}`)).body).to.deep.include({ agreementId: id });

    const { id: paymentId } = bodyOf(await payIn(clientToken), z.looseObject({ id: z.string() }));
    const payment = (await ask('GET', `/payments/${paymentId}`)).body;
    expect(payment).to.deep.include({ agreementId: id, customerId });
    expect(payment).not.to.have.property('periodKey');
    await active(id);
    expect(await read(id)).to.deep.include({ status: 'ACTIVE' });
    expect((await read(id)).initial?.paymentId).to.equal(paymentId);
    expect((await charge(id, 'p')).status).to.equal(200);
  });

  it('show their terms in each language of the checkout, and keep the text that was agreed to', async () => {
    for (const [language, wanted] of Object.entries(TEXTS)) {
      const { clientToken } = await proposing(http);
      const shown = await shownText(http, clientToken, language);
      expect(shown.text.replaceAll('\u00a0', ' ').replaceAll('\u202f', ' ')).to.equal(wanted);
      expect(shown.textDigest).to.equal(createHash('sha256').update(shown.text).digest('hex'));
      expect((await read(await agreeIn(http, clientToken, language))).consent).to.deep.include({
        language,
        shownText: shown.text,
        textDigest: shown.textDigest,
      });
    }
  });

  it('are not begun by a payment without the consent, and the session stays free', async () => {
    const { clientToken } = await proposing(http);
    const refused = await payIn(clientToken);
    expect([refused.status, refused.error?.errorId]).to.deep.equal([422, 'ConsentMissing']);
    const byKey = await ask('POST', '/payments', {
      clientToken,
      paymentMethodToken: await http.shop.tokenize(clientToken),
    });
    expect(byKey.error?.errorId).to.equal('ConsentMissing');
    await agreeIn(http, clientToken);
    expect((await payIn(clientToken)).status).to.equal(200);
  });

  it('take the first consent, once, in whatever language it is repeated', async () => {
    const { clientToken } = await proposing(http);
    const id = await agreeIn(http, clientToken, 'fr');
    const { consent } = await read(id);
    http.world.advance(1_000);
    expect(await agreeIn(http, clientToken, 'de')).to.equal(id);
    expect((await read(id)).consent).to.deep.equal(consent);
  });

  it('take no consent to a text that is not the one of now', async () => {
    const { clientToken } = await proposing(http);
    const { textDigest } = await shownText(http, clientToken);
    const terms = { ...TERMS, amount: 2_900 };
    await ask('PATCH', '/client-session', { clientToken, agreement: { kind: 'RECURRING', terms } });
    const late = await inCheckout(clientToken, 'POST', '/checkout/agreement', { language: 'en', textDigest });
    expect([late.status, late.error?.errorId]).to.deep.equal([409, 'Conflict']);
    expect((await shownText(http, clientToken)).text).to.contain('€29.00');
    const other = await inCheckout(await http.shop.session(), 'POST', '/checkout/agreement', {
      language: 'en',
      textDigest,
    });
    expect([other.status, other.error?.errorId]).to.deep.equal([400, 'ClientSessionValidationError']);
  });

  it('are replaced whole by a PATCH, until the customer has agreed', async () => {
    const { clientToken } = await proposing(http);
    const patch = (fields: object) => ask('PATCH', '/client-session', { clientToken, ...fields });
    const agreement = {
      kind: 'INSTALLMENT',
      terms: { ...TERMS, count: 3, startsAt: formatTime(http.world.now()) },
      retry: { policy: 'ADVISED' },
    };
    expect((await patch({ agreement })).body).to.deep.include({ agreement });
    expect((await patch({ agreement: null })).body).not.to.have.property('agreement');
    expect((await patch({ agreement, customerId: null })).error?.errorId).to.equal('RequestValidationError');
    expect((await patch({ agreement, orderId: 'o-2' })).status).to.equal(200);
    const id = await agreeIn(http, clientToken);
    for (const fields of [{ agreement: null }, { agreement: { ...agreement, kind: 'RECURRING' } }, { customerId: 'x' }])
      expect((await patch(fields)).error?.errorId, JSON.stringify(fields)).to.equal('FieldNotUpdatable');
    expect((await patch({ agreement, amount: 2_000 })).status).to.equal(200);
    expect((await ask('GET', `/agreements/${id}`)).body).to.deep.include({
      kind: 'INSTALLMENT',
      retry: agreement.retry,
    });
  });

  it('wait for another payment after a decline, and fail with a session that nobody paid', async () => {
    const { clientToken } = await proposing(http);
    const id = await agreeIn(http, clientToken);
    expect(bodyOf(await payIn(clientToken, CARDS.declined), z.looseObject({ status: z.string() })).status).to.equal(
      'DECLINED',
    );
    expect((await read(id)).status).to.equal('PENDING');
    await payIn(clientToken);
    await active(id);

    const unpaid = await agreeIn(http, (await proposing(http)).clientToken);
    http.world.advance(32 * DAY_MS);
    await until(async () => (await read(unpaid)).status === 'FAILED');
    expect((await charge(unpaid, 'p')).error?.errorId).to.equal('InvalidAgreementStatus');
    expect((await ask('POST', `/agreements/${unpaid}/cancel`, {})).error?.errorId).to.equal('InvalidAgreementStatus');
  });

  it('are asked for in a session with a customer, whose payment method is kept', async () => {
    const agreement = { kind: 'RECURRING', terms: TERMS };
    const customerId = 'customer-asked';
    const cases: readonly (readonly [string, object])[] = [
      ['$.customerId', { agreement }],
      ['$.paymentMethod.vaultOnSuccess', { agreement, customerId, paymentMethod: { vaultOnSuccess: false } }],
      ['$.paymentMethod.paymentType', { agreement, customerId, paymentMethod: { paymentType: 'SUBSCRIPTION' } }],
      ['$.agreementId', { agreement, customerId, agreementId: 'agr_unknown' }],
      ['$.agreementId', { agreementId: 'agr_unknown' }],
      [
        '$.agreement.terms.endsAt',
        {
          agreement: {
            ...agreement,
            terms: { ...TERMS, startsAt: '2026-03-01T00:00:00Z', endsAt: '2026-02-01T00:00:00Z' },
          },
          customerId,
        },
      ],
      [
        '$.agreement.terms.startsAt',
        { agreement: { ...agreement, terms: { ...TERMS, startsAt: 'soon' } }, customerId },
      ],
      [
        '$.agreement.terms.endsAt',
        { agreement: { ...agreement, terms: { ...TERMS, endsAt: '2020-01-01T00:00:00Z' } }, customerId },
      ],
      [
        '$.agreement.terms.startsAt',
        { agreement: { ...agreement, terms: { ...TERMS, startsAt: '2020-01-01T00:00:00Z' } }, customerId },
      ],
    ];
    for (const [path, fields] of cases) {
      const { status, error } = await ask('POST', '/client-session', { orderId: 'o', ...fields });
      expect([status, error?.errorId], path).to.deep.equal([422, 'RequestValidationError']);
      expect(JSON.stringify(error?.validationErrors), path).to.contain(`"${path}"`);
    }
  });

  it('that are suspended go on with the payment method of a session that names them', async () => {
    const id = await suspended('customer-renews');
    const clientToken = await http.shop.session({ agreementId: id });
    expect((await ask('GET', `/client-session?clientToken=${clientToken}`)).body).to.deep.include({
      agreementId: id,
      customerId: 'customer-renews',
    });
    expect((await shownText(http, clientToken)).isAgreed).to.equal(true);
    const patched = await ask('PATCH', '/client-session', { clientToken, customerId: 'another' });
    expect(patched.error?.errorId).to.equal('FieldNotUpdatable');
    const { id: paymentId } = bodyOf(await payIn(clientToken, CARDS.otherApproved), z.looseObject({ id: z.string() }));
    await active(id);
    expect((await read(id)).initial?.paymentId).to.equal(paymentId);
    http.world.advance(DAY_MS);
    expect(paymentOf(await charge(id, 'p')).status).to.equal('SETTLED');
  });

  it('that are suspended go on with the payment method of a payment link, which lists no saved one', async () => {
    const id = await suspended('customer-linked');
    const link = bodyOf(
      await ask('POST', '/payment-links', { amount: 1_900, currencyCode: 'EUR', agreementId: id }),
      z.looseObject({ id: z.string(), url: z.string() }),
    );
    const secret = new URL(link.url).hash.slice(1);
    const opened = await http.service.sessions.openPaymentLink(link.id, secret, http.world.now());
    if (opened.kind === 'rejected') throw new Error(opened.description);
    const { clientToken } = opened;
    const session = (await inCheckout(clientToken, 'GET', '/checkout/session')).body;
    expect(session).not.to.have.property('paymentInstruments');
    expect(session).to.have.property('agreement');
    await payIn(clientToken, CARDS.otherApproved);
    await active(id);
    expect((await charge(id, 'p2')).status).to.equal(200);
  });

  it('of another customer, or over, take no other payment method', async () => {
    const id = await suspended('customer-over');
    const foreign = await ask('POST', '/client-session', { agreementId: id, customerId: 'another' });
    expect(JSON.stringify(foreign.error?.validationErrors)).to.contain('"$.customerId"');
    expect((await http.other.ask('POST', '/client-session', { agreementId: id })).error?.errorId).to.equal(
      'RequestValidationError',
    );
    const clientToken = await http.shop.session({ agreementId: id });
    await ask('POST', `/agreements/${id}/cancel`, {});
    const fields = { agreementId: id, amount: 1_900, currencyCode: 'EUR' };
    for (const path of ['/client-session', '/payment-links'])
      expect((await ask('POST', path, fields)).error?.errorId, path).to.equal('InvalidAgreementStatus');
    expect((await payIn(clientToken)).error?.errorId).to.equal('InvalidAgreementStatus');
    expect((await read(id)).status).to.equal('CANCELLED');
  });

  it('that were cancelled, or whose customer was erased, before the payment take no money and no card', async () => {
    const cancelled = await proposing(http);
    await ask('POST', `/agreements/${await agreeIn(http, cancelled.clientToken)}/cancel`, {});
    const erased = await proposing(http);
    const other = await agreeIn(http, erased.clientToken);
    expect((await ask('DELETE', `/customers/${erased.customerId}/personal-data`)).status).to.equal(200);
    expect((await read(other)).status).to.equal('REVOKED');
    expect((await read(other)).consent).not.to.have.any.keys('ipAddress', 'userAgent');
    for (const { clientToken, customerId } of [cancelled, erased]) {
      expect((await payIn(clientToken)).error?.errorId).to.equal('InvalidAgreementStatus');
      const saved = await ask('GET', `/payment-instruments?customer_id=${customerId}`);
      expect(saved.body).to.deep.include({ data: [] });
    }
  });

  it('keep the newest payment method, whatever an older payment does later', async () => {
    const { clientToken } = await proposing(http);
    const id = await agreeIn(http, clientToken);
    const first = bodyOf(await payIn(clientToken), z.looseObject({ id: z.string() }));
    await active(id);
    const renewing = await http.shop.session({ agreementId: id });
    const second = bodyOf(await payIn(renewing, CARDS.otherApproved), z.looseObject({ id: z.string() }));
    await until(async () => (await read(id)).initial?.paymentId === second.id);
    expect((await ask('POST', `/payments/${first.id}/capture`, {})).status).to.equal(200);
    http.world.advance(10 * 60_000);
    expect((await read(id)).initial?.paymentId).to.equal(second.id);
  });

  for (const [end, status] of [
    ['a payment', 'ACTIVE'],
    ['its expiry', 'FAILED'],
  ] as const)
    it(`follow from the consent of the session if nothing else was recorded: with ${end}`, async () => {
      const { clientToken } = await proposing(http);
      const { textDigest, text } = await shownText(http, clientToken);
      const { agreements } = http.service.streams;
      const { append } = agreements;
      agreements.append = () => Promise.reject(new Error('the process died'));
      const body = { language: 'en', textDigest };
      const died = await http.request('POST', '/checkout/agreement', { token: clientToken, body });
      agreements.append = append;
      expect(died.status).to.equal(500);
      expect((await shownText(http, clientToken)).isAgreed).to.equal(true);
      const session = await ask('GET', `/client-session?clientToken=${clientToken}`);
      const { agreementId } = bodyOf(session, z.looseObject({ agreementId: z.string() }));
      if (status === 'ACTIVE') await payIn(clientToken);
      else http.world.advance(32 * DAY_MS);
      await until(async () => (await ask('GET', `/agreements/${agreementId}`)).text.includes(`"${status}"`));
      const { consent } = await read(agreementId);
      expect(consent).to.deep.include({ shownText: text, textDigest, language: 'en' });
    });

  it('are asked for in words that a name or a description cannot move', async () => {
    const terms = { ...TERMS, description: 'A \u202Ebook\n”, for free' };
    const { clientToken } = await proposing(http, { agreement: { kind: 'RECURRING', terms } });
    expect((await shownText(http, clientToken)).text).to.contain('for “A  book ”, for free”.');
  });
});
