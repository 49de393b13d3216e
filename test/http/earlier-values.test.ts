// Values that an earlier rule of requests allowed, on record in a session: they are read, patched and copied, never a
// fault.
import { expect } from 'chai';
import { ClientTokens } from '../../src/commands/sessions/client-tokens.ts';
import type { ClientSessionEvent } from '../../src/domain/client-session/events.ts';
import type { SessionFields } from '../../src/domain/client-session/recorded-fields.ts';
import { clientSession } from '../../src/domain/client-session/state.ts';
import { checkoutSessionAnswer } from '../../src/http/answers/checkout-session.ts';
import { operatorContext } from '../../src/journal/contexts.ts';
import { beforeFirst, seal } from '../../src/journal/envelope.ts';
import { done, known } from '../support/answers.ts';
import { calmWorld } from '../support/calm-world.ts';
import { card, checkout, memoryStores, merchant, nodeOn, type Stores, type TestNode } from '../support/node.ts';

const ACCOUNT = 'acc_1';
const AT = calmWorld.now();
const DAY_MS = 86_400_000;

/** An e-mail, a currency, a country, a network list and types that no request may send today. */
const earlier: SessionFields = {
  orderId: '',
  currencyCode: 'DEM',
  amount: 1_000,
  returnUrl: 'not a url',
  customer: { emailAddress: 'no at sign', mobileNumber: 'x'.repeat(400), billingAddress: { countryCode: 'DD' } },
  order: {
    countryCode: 'SU',
    lineItems: [{ amount: 1_000, quantity: 1, productType: 'SERVICE', name: 'x'.repeat(300) }],
  },
  metadata: { '': 1, ['k'.repeat(80)]: { a: { b: { c: { d: { e: { f: { g: { h: { i: 1 } } } } } } } } } },
};

describe('A session with values of earlier rules', () => {
  let stores: Stores;
  let node: TestNode;
  beforeEach(async () => {
    stores = await memoryStores();
    node = await nodeOn(stores);
  });

  /** Its stream, written as the version of those rules wrote it, with `more` events; answers its token. */
  async function stored(
    fields: SessionFields,
    ...more: readonly ClientSessionEvent[]
  ): Promise<{ readonly id: string; readonly clientToken: string }> {
    const id = 'cs_earlier';
    const tokenExpiresAt = AT + DAY_MS;
    const data = {
      accountId: ACCOUNT,
      fields,
      createdAt: AT,
      tokenExpiresAt,
      sessionExpiresAt: tokenExpiresAt + 30 * DAY_MS,
    };
    const sealed = seal(
      clientSession.category,
      [{ type: 'ClientSessionCreated', data }, ...more],
      operatorContext(calmWorld, ACCOUNT),
      beforeFirst,
      calmWorld,
    );
    await stores.events.append(
      `clientSession-${id}`,
      -1,
      sealed.map((one) => one.stored),
    );
    const { state } = await node.service.streams.sessions.current(id);
    if (state.status === 'absent') throw new Error('no session');
    const { tokenIssuedAt: issuedAt } = state;
    const clientToken = new ClientTokens(stores.secrets, 'test').issue({
      sessionId: id,
      accountId: ACCOUNT,
      issuedAt,
      expiresAt: tokenExpiresAt,
    });
    return { id, clientToken };
  }

  it('is read and patched, and keeps the members that a call does not name', async () => {
    const { clientToken } = await stored(earlier);
    const patched = done(
      await node.service.sessions.patchClientSession(
        { clientToken, customer: { firstName: 'Ada' } },
        merchant(ACCOUNT),
      ),
    );
    expect(patched.doc).to.deep.include({
      fields: { ...earlier, customer: { ...earlier.customer, firstName: 'Ada' } },
    });
    expect(await node.service.queries.readClientSession(clientToken, merchant(ACCOUNT))).to.deep.include({
      doc: patched.doc,
    });
  });

  it('is copied into a payment', async () => {
    const { id, clientToken } = await stored(earlier);
    const token = done(await node.service.instruments.tokenizeCard(card(), checkout(ACCOUNT, id))).id;
    const paid = done(
      await node.service.payments.authorizePayment({ clientToken, paymentMethodToken: token }, merchant(ACCOUNT)),
    );
    const { customer, order, metadata, currencyCode } = earlier;
    expect(known(paid.doc)).to.deep.include({ customer, order, metadata, currencyCode });
  });

  for (const amount of [0, 10.5, 2 ** 60])
    it(`of the amount ${amount} asks for another one, in a refusal`, async () => {
      const { id, clientToken } = await stored({ ...earlier, amount });
      const token = done(await node.service.instruments.tokenizeCard(card(), checkout(ACCOUNT, id))).id;
      const refused = await node.service.payments.authorizePayment(
        { clientToken, paymentMethodToken: token },
        merchant(ACCOUNT),
      );
      expect(refused).to.deep.include({ kind: 'rejected', errorId: 'RequestValidationError' });
    });

  it('of a payment link with a customer shows no saved card, and takes none', async () => {
    const { sessions, instruments, payments, queries, processors } = node.service;
    const shop = done(await sessions.createClientSession({ customerId: 'c-1' }, merchant(ACCOUNT)));
    const saved = done(await instruments.tokenizeCard(card(), checkout(ACCOUNT, shop.id))).id;
    done(await instruments.vaultInstrument(saved, { customerId: 'c-1' }, merchant(ACCOUNT)));
    const fields = { orderId: 'o-1', currencyCode: 'EUR', amount: 1_000, customerId: 'c-1' };
    const { id } = await stored(fields, { type: 'PaymentLinkCreated', data: { expiresAt: AT + DAY_MS } });
    const { state: session } = await node.service.streams.sessions.current(id);
    if (session.status === 'absent') throw new Error('no session');
    const wallet = await queries.readWallet(ACCOUNT, 'c-1');
    const drawn = { wallet, payment: undefined, agreement: undefined, routeOf: () => undefined, processors, at: AT };
    const { link: _, ...withoutLink } = session;
    expect(checkoutSessionAnswer(withoutLink, drawn).paymentInstruments).to.have.length(1);
    const sent: object = JSON.parse(JSON.stringify(checkoutSessionAnswer(session, drawn)));
    expect(sent).not.to.have.any.keys('paymentInstruments', 'vaultOnSuccess');
    const paid = await payments.authorizeCheckoutPayment({ paymentMethodToken: saved }, checkout(ACCOUNT, id));
    expect(paid).to.deep.include({ kind: 'rejected', errorId: 'InvalidPaymentInstrumentToken' });
  });
});
