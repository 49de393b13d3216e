// A checkout from session to refund, and the effect of each outcome at the processor on session, token and payment.
import { expect } from 'chai';
import { wantsVaulting } from '../../../src/domain/payment/queries.ts';
import { resolveUnknownOutcomes } from '../../../src/policies/due-work.ts';
import { runDue } from '../../../src/policies/policy.ts';
import { done, known } from '../../support/answers.ts';
import { card, checkout, memoryStores, merchant, nodeOn, type Stores, type TestNode } from '../../support/node.ts';
import { scripted } from '../../support/scripted-processor.ts';
import { wholeLedger } from '../../support/whole-ledger.ts';

const ACCOUNT = 'acc_1';

describe('the way of a payment', () => {
  let stores: Stores;
  let node: TestNode;
  beforeEach(async () => {
    stores = await memoryStores();
    node = await nodeOn(stores);
  });

  const session = async (fields = {}) => {
    const made = await node.service.sessions.createClientSession(
      { orderId: 'o-1', currencyCode: 'EUR', amount: 1_000, ...fields },
      merchant(ACCOUNT),
    );
    if (made.kind === 'rejected') throw new Error(made.errorId);
    return made;
  };
  const token = async (sessionId: string, number?: string) =>
    done(await node.service.instruments.tokenizeCard(card(number), checkout(ACCOUNT, sessionId))).id;
  const pay = async (number?: string, fields = {}) => {
    const { id, clientToken } = await session(fields);
    const paymentMethodToken = await token(id, number);
    return {
      sessionId: id,
      clientToken,
      paymentMethodToken,
      answer: await node.service.payments.authorizePayment({ clientToken, paymentMethodToken }, merchant(ACCOUNT)),
    };
  };

  it('authorizes, captures and refunds', async () => {
    const { answer } = await pay();
    const { id, doc } = done(answer);
    expect(known(doc)).to.include({ status: 'AUTHORIZED', amountAuthorized: 1_000, amountCapturable: 1_000 });
    const captured = done(
      await node.service.payments.capturePayment(id, { amount: 400, final: false }, merchant(ACCOUNT)),
    );
    expect(known(captured.doc)).to.include({ status: 'PARTIALLY_SETTLED', amountCaptured: 400 });
    const rest = done(await node.service.payments.capturePayment(id, {}, merchant(ACCOUNT)));
    expect(known(rest.doc)).to.include({ status: 'SETTLED', amountCaptured: 1_000 });
    const refunded = done(await node.service.payments.refundPayment(id, { amount: 300 }, merchant(ACCOUNT)));
    expect(known(refunded.doc)).to.include({ amountRefunded: 300, amountRefundable: 700 });
    const [row] = await node.service.readModels.get(
      (await import('../../../src/projections/models/payments.ts')).payments,
      [id],
    );
    expect(row?.doc).to.deep.equal(refunded.doc);
    expect(row?.revision).to.equal(refunded.revision);
    expect(node.reported).to.deep.equal([]);
  });

  it('gives the session back after a decline, but not the token', async () => {
    const { answer, clientToken, paymentMethodToken, sessionId } = await pay('4000000000000002');
    expect(known(done(answer).doc)).to.include({ status: 'DECLINED' });
    const again = await node.service.payments.authorizePayment({ clientToken, paymentMethodToken }, merchant(ACCOUNT));
    expect(again).to.include({ kind: 'rejected', errorId: 'InvalidPaymentInstrumentToken' });
    const other = await node.service.payments.authorizePayment(
      { clientToken, paymentMethodToken: await token(sessionId) },
      merchant(ACCOUNT),
    );
    expect(known(done(other).doc)).to.include({ status: 'AUTHORIZED' });
  });

  it('pays a session once', async () => {
    const { answer, clientToken, sessionId } = await pay();
    const second = await node.service.payments.authorizePayment(
      { clientToken, paymentMethodToken: await token(sessionId) },
      merchant(ACCOUNT),
    );
    expect(second).to.include({ kind: 'rejected', errorId: 'ClientSessionCompleted', paymentId: done(answer).id });
    const patch = await node.service.sessions.patchClientSession({ clientToken, orderId: 'o-2' }, merchant(ACCOUNT));
    expect(patch).to.include({ kind: 'rejected', errorId: 'ClientSessionCompleted' });
  });

  it('captures automatically in automatic mode, which needs the scope', async () => {
    const { answer } = await pay(undefined, { paymentMethod: { captureMode: 'AUTOMATIC' } });
    expect(known(done(answer).doc)).to.include({ status: 'SETTLED', amountCaptured: 1_000 });
    const { id, clientToken } = await session({ paymentMethod: { captureMode: 'AUTOMATIC' } });
    const weak = { ...merchant(ACCOUNT), scopes: new Set(['transactions:authorize']) };
    const refused = await node.service.payments.authorizePayment(
      { clientToken, paymentMethodToken: await token(id) },
      weak,
    );
    expect(refused).to.include({ kind: 'rejected', errorId: 'InsufficientScope' });
  });

  it('vaults on success and knows the same card again', async () => {
    const fields = { customerId: 'c-1', paymentMethod: { vaultOnSuccess: true } };
    const first = await pay(undefined, fields);
    done(first.answer);
    const wallet = await node.service.queries.readWallet(ACCOUNT, 'c-1');
    expect(wallet).to.include({ status: 'open', defaultToken: first.paymentMethodToken });
    const second = await pay(undefined, fields);
    done(second.answer);
    const after = await node.service.queries.readWallet(ACCOUNT, 'c-1');
    expect(after?.status === 'open' && after.instruments).to.have.length(1);
    const again = await node.service.payments.authorizePayment(
      {
        paymentMethodToken: first.paymentMethodToken,
        orderId: 'o-9',
        currencyCode: 'EUR',
        amount: 5,
        customerId: 'c-1',
      },
      merchant(ACCOUNT),
    );
    expect(known(done(again).doc)).to.include({ status: 'AUTHORIZED' });
    expect(node.reported).to.deep.equal([]);
  });

  it('takes no lost races for a refusal to vault: the card is vaulted later', async () => {
    const { streams, work, readModels } = node.service;
    const { append } = streams.wallets;
    streams.wallets.append = async () => 'conflict';
    const { answer, paymentMethodToken } = await pay(undefined, {
      customerId: 'c-1',
      paymentMethod: { vaultOnSuccess: true },
    });
    expect(known(done(answer).doc).vaulting).to.equal(undefined);
    streams.wallets.append = append;
    await runDue(resolveUnknownOutcomes(work), readModels, work);
    const { state } = await streams.payments.current(done(answer).id);
    expect(known(state).vaulting).to.deep.equal({ paymentMethodToken });
    expect(await node.service.queries.readWallet(ACCOUNT, 'c-1')).to.include({ defaultToken: paymentMethodToken });
    expect(node.reported).to.deep.equal([]);
  });

  it('answers the first answer again for the same idempotency key, and appends no event', async () => {
    const { clientToken, id } = await session();
    const paymentMethodToken = await token(id);
    const caller = () => merchant(ACCOUNT, stores.world, 'k-1', 'body');
    const first = done(await node.service.payments.authorizePayment({ clientToken, paymentMethodToken }, caller()));
    const other = await nodeOn(stores);
    const second = await other.service.payments.authorizePayment({ clientToken, paymentMethodToken }, caller());
    expect(done(second)).to.deep.include({ id: first.id, doc: first.doc, revision: first.revision, replayed: true });
    const reused = await node.service.payments.authorizePayment(
      { clientToken, paymentMethodToken },
      merchant(ACCOUNT, stores.world, 'k-1', 'other'),
    );
    expect(reused).to.include({ kind: 'rejected', errorId: 'IdempotencyKeyReused' });
    expect((await wholeLedger(stores.sandbox)).filter(({ operation }) => operation === 'authorization')).to.have.length(
      1,
    );
  });

  it('has one effect for one key twenty times at once over two nodes', async () => {
    const { clientToken, id } = await session();
    const paymentMethodToken = await token(id);
    const other = await nodeOn(stores);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        (index % 2 === 0 ? node : other).service.payments.authorizePayment(
          { clientToken, paymentMethodToken },
          merchant(ACCOUNT, stores.world, 'k-1', 'body'),
        ),
      ),
    );
    for (const answer of answers)
      if (answer.kind === 'rejected') expect(answer.errorId).to.equal('IdempotencyKeyInProgress');
    expect(answers.filter(({ kind }) => kind === 'completed')).to.have.length.greaterThan(0);
    expect((await wholeLedger(stores.sandbox)).filter(({ operation }) => operation === 'authorization')).to.have.length(
      1,
    );
    const settled = done(
      await other.service.payments.authorizePayment(
        { clientToken, paymentMethodToken },
        merchant(ACCOUNT, stores.world, 'k-1', 'body'),
      ),
    );
    expect(known(settled.doc)).to.include({ status: 'AUTHORIZED' });
  });

  it('charges a token once when twenty payments want it at once over two nodes', async () => {
    const { id } = await session();
    const paymentMethodToken = await token(id);
    const other = await nodeOn(stores);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        (index % 2 === 0 ? node : other).service.payments.authorizePayment(
          { paymentMethodToken, orderId: `o-${index}`, currencyCode: 'EUR', amount: 5 },
          merchant(ACCOUNT),
        ),
      ),
    );
    expect(answers.filter(({ kind }) => kind === 'completed')).to.have.length(1);
    for (const answer of answers)
      if (answer.kind === 'rejected') expect(answer.errorId).to.equal('InvalidPaymentInstrumentToken');
  });

  it('records once that its card could not be vaulted, and asks no more', async () => {
    const deleting = await nodeOn(stores, {
      processor: scripted(stores.sandbox, {
        async perform(request, call) {
          const { paymentMethod } = known((await node.service.streams.payments.current(request.paymentId)).state);
          done(
            await node.service.instruments.deletePaymentInstrument(paymentMethod.paymentMethodToken, merchant(ACCOUNT)),
          );
          return stores.sandbox.perform(request, call);
        },
      }),
    });
    const { id: sessionId, clientToken } = await session({
      customerId: 'c-1',
      paymentMethod: { vaultOnSuccess: true },
    });
    const asked = { clientToken, paymentMethodToken: await token(sessionId) };
    const { doc } = done(await deleting.service.payments.authorizePayment(asked, merchant(ACCOUNT)));
    expect(known(doc)).to.deep.nested.include({
      status: 'AUTHORIZED',
      'paymentMethod.isVaulted': false,
      vaulting: { refused: 'InvalidPaymentInstrumentToken' },
    });
    expect(wantsVaulting(doc)).to.equal(false);
  });
});
