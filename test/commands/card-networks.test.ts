// `orderedAllowedCardNetworks` of a session: which cards it takes (contract §3).
import { expect } from 'chai';
import { appendedBy } from '../support/http-appended.ts';
import { card, checkout, memoryStores, merchant, nodeOn, type Stores, type TestNode } from '../support/node.ts';

const ACCOUNT = 'acc_1';
const VISA = '4242424242424242';
const MASTERCARD = '5555555555554444';

describe('the card networks of a session', () => {
  let stores: Stores;
  let node: TestNode;
  beforeEach(async () => {
    stores = await memoryStores();
    node = await nodeOn(stores);
  });

  const session = async (paymentMethod?: object) => {
    const fields = {
      orderId: 'o-1',
      currencyCode: 'EUR',
      amount: 1_000,
      ...(paymentMethod !== undefined && { paymentMethod }),
    };
    const made = await node.service.sessions.createClientSession(fields, merchant(ACCOUNT));
    if (made.kind === 'rejected') throw new Error(made.errorId);
    return made;
  };
  const tokenize = (sessionId: string, number: string) =>
    node.service.instruments.tokenizeCard(card(number), checkout(ACCOUNT, sessionId));
  const token = async (sessionId: string, number: string): Promise<string> => {
    const made = await tokenize(sessionId, number);
    if (made.kind === 'rejected') throw new Error(made.errorId);
    return made.id;
  };

  it('refuse the number of any other network, and leave no token', async () => {
    const { id } = await session({ orderedAllowedCardNetworks: ['VISA', 'AMEX'] });
    expect((await tokenize(id, VISA)).kind).to.equal('completed');
    const refused = await appendedBy(stores.events, () => tokenize(id, MASTERCARD));
    if (refused.answer.kind !== 'rejected') throw new Error('it was let through');
    expect(refused.answer.errorId).to.equal('RequestValidationError');
    expect(refused.answer.violations?.map(({ path }) => path)).to.deep.equal(['$.card.number']);
    expect(refused.types).to.deep.equal([]);
  });

  it('are all networks without a list, and an empty list is none', async () => {
    expect((await tokenize((await session()).id, MASTERCARD)).kind).to.equal('completed');
    expect((await tokenize((await session({ captureMode: 'MANUAL' })).id, MASTERCARD)).kind).to.equal('completed');
    expect((await tokenize((await session({ orderedAllowedCardNetworks: [] })).id, MASTERCARD)).kind).to.equal(
      'completed',
    );
  });

  it('refuse a token that was made before the list, in the checkout and by the backend, and leave no trace in the session', async () => {
    const { id, clientToken } = await session();
    const paymentMethodToken = await token(id, MASTERCARD);
    const patched = await node.service.sessions.patchClientSession(
      { clientToken, paymentMethod: { orderedAllowedCardNetworks: ['VISA'] } },
      merchant(ACCOUNT),
    );
    expect(patched.kind).to.equal('completed');
    const refused = await appendedBy(stores.events, async () => [
      await node.service.payments.authorizeCheckoutPayment({ paymentMethodToken }, checkout(ACCOUNT, id)),
      await node.service.payments.authorizePayment(
        { paymentMethodToken, clientToken, paymentMethod: { captureMode: 'MANUAL' } },
        merchant(ACCOUNT),
      ),
    ]);
    for (const answer of refused.answer) expect(answer).to.include({ errorId: 'InvalidPaymentInstrumentToken' });
    expect(refused.types).to.deep.equal([]);
    const paid = await node.service.payments.authorizeCheckoutPayment(
      { paymentMethodToken: await token(id, VISA) },
      checkout(ACCOUNT, id),
    );
    expect(paid).to.have.nested.property('doc.status', 'AUTHORIZED');
  });
});
