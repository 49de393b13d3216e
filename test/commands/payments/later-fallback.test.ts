// A charge of an agreement that goes on at a second connection: under the same claim, with the network's names of the
// payment that began the agreement at the first one (contract §4, contract §14).
import { expect } from 'chai';
import { seenByNetworks } from '../../../src/cli/sandbox/network-view.ts';
import { refusalOf } from '../../../src/commands/payments/retry-ledger.ts';
import { done, known as knownPayment } from '../../support/answers.ts';
import { eventsAfter } from '../../support/http-appended.ts';
import { card, checkout, merchant } from '../../support/node.ts';
import { wholeLedger } from '../../support/whole-ledger.ts';
import { routedShop } from './routed-shop.ts';

const NEEDS_LINK = '5100099900005075';
const NO_FUNDS = '4000009900005045';
const RULES = {
  rules: [],
  default: { use: [{ connection: 'sandbox', weight: 1 }], then: ['second'] },
  fallbackOn: ['NOT_SENT', 'SOFT'],
};
const TERMS = { amountRule: 'VARIABLE' as const, currencyCode: 'EUR', description: 'Top-ups' };
const CONSENT = { acceptedAt: 1_000, channel: 'ONLINE' as const, textDigest: 'ab'.repeat(32) };

async function openShop(options: Parameters<typeof routedShop>[0] = {}) {
  const shop = await routedShop(options);
  const { service, sandbox, accountId, world } = shop;
  const second = await shop.connect('second');
  done(await shop.set(RULES));
  const by = () => merchant(accountId, world);
  /** An agreement, and the names of the payment that began it. */
  const begun = async (number: string) => {
    const asked = {
      orderId: 'o-1',
      currencyCode: 'EUR',
      amount: 1_000,
      customerId: 'customer-1',
      paymentMethod: { vaultOnSuccess: true, paymentType: 'FIRST_PAYMENT' as const },
    };
    const session = await service.sessions.createClientSession(asked, by());
    if (session.kind === 'rejected') throw new Error(session.description);
    const token = done(await service.instruments.tokenizeCard(card(number), checkout(accountId, session.id, world)));
    const paying = { clientToken: session.clientToken, paymentMethodToken: token.id };
    const { id: paymentId } = done(await service.payments.authorizePayment(paying, by()));
    const agreed = { paymentId, kind: 'UNSCHEDULED' as const, terms: TERMS, consent: CONSENT };
    const { id, doc } = done(await service.agreements.createAgreement(agreed, by()));
    if (doc.status === 'absent' || doc.method === undefined) throw new Error('there is an agreement');
    const { networkTransactionId, transactionLinkId } = doc.method;
    return { id, names: { networkTransactionId, transactionLinkId }, token: doc.method.paymentMethodToken };
  };
  return {
    ...shop,
    second,
    begun,
    /** The first connection is not reached by authorizations from now on. */
    lose: () =>
      sandbox.setFaults(accountId, {
        seed: 1,
        rules: [{ match: { operation: 'authorization' }, do: { phase: 'before_send', fault: 'reset' } }],
      }),
    charge: (id: string, periodKey = 'p') =>
      service.payments.chargeAgreement(
        id,
        { periodKey, orderId: `o-${periodKey}`, amount: 1_900, captureMode: 'MANUAL' },
        by(),
      ),
    at: async (book: string) =>
      (await wholeLedger(sandbox, book)).filter(({ operation }) => operation === 'authorization'),
    periods: async (id: string) => {
      const { state } = await service.streams.agreements.current(id);
      return state.status === 'absent' ? [] : state.periods;
    },
  };
}

describe('a charge of an agreement at a second connection', () => {
  it('carries the names of the first payment, which was made at the first one, and is the one try of the period', async () => {
    const shop = await openShop();
    const { id, names } = await shop.begun(NEEDS_LINK);
    expect(names.transactionLinkId).to.match(/^[\w-]{22}$/);
    await shop.lose();
    const { doc } = done(await shop.charge(id));
    const payment = knownPayment(doc);
    expect(payment.status).to.equal('AUTHORIZED');
    expect(payment.attempts.map(({ connectionId }) => connectionId)).to.deep.equal(['sandbox', shop.second]);
    const [line, ...others] = await shop.at(shop.second);
    expect(others).to.deep.equal([]);
    expect(line?.network).to.deep.include({ kind: 'UNSCHEDULED', ...names });
    expect(await shop.periods(id)).to.have.length(1);
    expect((await shop.periods(id))[0]).to.include({ try: 1, outcome: 'SUCCEEDED' });
    const again = done(await shop.charge(id));
    expect(again.replayed).to.equal(true);
    expect(await shop.at(shop.second)).to.have.length(1);
  });

  it('keeps to the names of the agreement after its method was replaced by one of the second connection', async () => {
    const shop = await openShop();
    const { id } = await shop.begun(NEEDS_LINK);
    await shop.lose();
    const second = await shop.begun('5555555555554444');
    done(
      await shop.service.agreements.replaceAgreementInstrument(
        id,
        { paymentId: await initialOf(shop, second.id) },
        merchant(shop.accountId, shop.world),
      ),
    );
    done(await shop.charge(id));
    const [, line] = await shop.at(shop.second);
    expect(line?.network?.networkTransactionId).to.equal(second.names.networkTransactionId);
  });

  it('counts both refusals in the ledger of the card, and settles the period once', async () => {
    const shop = await openShop();
    const { id, token } = await shop.begun(NO_FUNDS);
    const { doc } = done(await shop.charge(id));
    const payment = knownPayment(doc);
    expect(payment.attempts.flatMap((attempt) => refusalOf('VISA', attempt) ?? [])).to.have.length(2);
    expect((await shop.periods(id))[0]).to.include({ try: 1, outcome: 'DECLINED' });
    const answered = (await eventsAfter(shop.events, -1n)).filter(({ type }) => type === 'NetworkTryAnswered');
    expect(answered.map(({ data }) => JSON.parse(data).declines)).to.deep.equal([2]);
    const [seen, ...others] = await seenByNetworks(
      { sandbox: shop.sandbox, readModels: shop.service.readModels },
      shop.accountId,
    );
    expect(seen, 'one card over both connections').to.deep.include({
      token,
      tries: 2,
      declined: 2,
      named: 2,
      fined: [],
    });
    expect(others).to.deep.equal([]);
  });

  it('is declined there by a service that leaves the names out, so that the test would notice', async () => {
    const shop = await openShop({
      processorOf: (sandbox) => ({
        ...sandbox,
        perform: (request, call) => {
          if (request.operation !== 'authorization' || call.connection.connectionId === 'sandbox')
            return sandbox.perform(request, call);
          const { agreement: _left, ...others } = request;
          return sandbox.perform(others, call);
        },
      }),
    });
    const { id } = await shop.begun(NEEDS_LINK);
    await shop.lose();
    expect(knownPayment(done(await shop.charge(id)).doc).status).to.equal('DECLINED');
  });
});

async function initialOf(
  { service }: { readonly service: Awaited<ReturnType<typeof openShop>>['service'] },
  id: string,
) {
  const { state } = await service.streams.agreements.current(id);
  if (state.status === 'absent' || state.method === undefined) throw new Error('there is an agreement');
  return state.method.initialPaymentId;
}
