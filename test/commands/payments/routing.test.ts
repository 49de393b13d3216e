// Routing over connections: the rules of the account choose, and what is skipped is on record.
import { expect } from 'chai';
import { isKnown } from '../../../src/domain/payment/queries.ts';
import { checkout, merchant } from '../../support/node.ts';
import { routedShop } from './routed-shop.ts';

const only = (connection: string, then: readonly string[] = []) => ({ use: [{ connection, weight: 1 }], then });
const HANGS = { match: { operation: 'authorization' }, do: { phase: 'before_effect', fault: '503' } };

describe('routing', () => {
  it('sends a payment to the connection that the first matching rule names', async () => {
    const { connect, set, paid, sandbox } = await routedShop();
    const second = await connect('second');
    const rules = {
      rules: [
        { name: 'dollars', when: { currencyCode: ['USD'] }, use: [{ connection: 'sandbox', weight: 1 }] },
        { name: 'euro', when: { currencyCode: ['EUR'] }, use: [{ connection: 'second', weight: 1 }] },
      ],
      default: { use: [{ connection: 'sandbox', weight: 1 }] },
    };
    expect((await set(rules)).kind).to.equal('completed');
    const { status, connectionId, route, id } = await paid();
    expect({ status, connectionId }).to.deep.equal({ status: 'AUTHORIZED', connectionId: second });
    expect(route).to.include({ version: 1, rule: 'euro', connectionId: second });
    expect((await sandbox.ledgerOf(second, 10)).lines.map(({ paymentId }) => paymentId)).to.deep.equal([id]);
  });

  it('changes nothing for an account without rules, whose card has a token at each sandbox', async () => {
    const { connect, paid, sandbox } = await routedShop();
    const second = await connect('second');
    const { connectionId, route, paymentMethod } = await paid();
    expect({ connectionId, route }).to.deep.equal({ connectionId: 'sandbox', route: undefined });
    expect(paymentMethod.paymentMethodToken).to.match(/^pm_/);
    expect((await sandbox.ledgerOf(second, 10)).lines).to.deep.equal([]);
  });

  it('skips a connection that is disabled, and says so on the payment', async () => {
    const { connect, set, paid, service } = await routedShop();
    const second = await connect('second');
    await set({ rules: [], default: only('second', ['sandbox']) });
    await service.connections.disable(second);
    const { connectionId, route } = await paid();
    expect(connectionId).to.equal('sandbox');
    expect(route?.skipped).to.deep.equal([{ connectionId: second, because: 'disabled' }]);
  });

  it('skips a connection whose circuit is open', async () => {
    const circuit = { windowMs: 60_000, minCalls: 2, failedShare: 0.5, openMs: 30_000 };
    const { connect, set, paid, token, sandbox, service, accountId, world } = await routedShop({ circuit });
    const second = await connect('second');
    await set({ rules: [], default: only('second', ['sandbox']) });
    await sandbox.setFaults(second, { rules: [HANGS] });
    const { sessionId, paymentMethodToken } = await token();
    await paid();
    await paid();
    const by = checkout(accountId, sessionId, world);
    const answer = await service.payments.authorizeCheckoutPayment({ paymentMethodToken }, by);
    const payment = answer.kind === 'completed' && isKnown(answer.doc) ? answer.doc : undefined;
    expect(payment?.connectionId).to.equal('sandbox');
    expect(payment?.route?.skipped).to.deep.equal([{ connectionId: second, because: 'circuit_open' }]);
  });

  it('skips a connection that has no token of the card, which a fault at its tokenization has cost', async () => {
    const { connect, set, paid, sandbox } = await routedShop();
    const second = await connect('second');
    await set({ rules: [], default: only('second', ['sandbox']) });
    await sandbox.setFaults(second, {
      rules: [{ match: { operation: 'tokenization' }, do: { phase: 'before_send', fault: 'reset' } }],
    });
    const { connectionId, route } = await paid();
    expect(connectionId).to.equal('sandbox');
    expect(route?.skipped).to.deep.equal([{ connectionId: second, because: 'no_token' }]);
  });

  it('goes on with the second connection when the first one makes no token', async () => {
    const { accountId, connect, set, paid, sandbox } = await routedShop();
    const second = await connect('second');
    await set({ rules: [], default: only('sandbox', ['second']) });
    await sandbox.setFaults(accountId, {
      rules: [{ match: { operation: 'tokenization' }, do: { phase: 'before_send', fault: 'reset' } }],
    });
    expect((await paid()).connectionId).to.equal(second);
  });

  it('refuses before anything is written where all are skipped: 422, or 503 where one only does not respond', async () => {
    const circuit = { windowMs: 60_000, minCalls: 1, failedShare: 0.5, openMs: 30_000 };
    const { connect, set, token, pay, service, sandbox, accountId, world } = await routedShop({ circuit });
    const second = await connect('second');
    await set({ rules: [], default: only('second') });
    await sandbox.setFaults(second, { rules: [HANGS] });
    const kept = await token();
    await pay();
    const again = () =>
      service.payments.authorizeCheckoutPayment(
        { paymentMethodToken: kept.paymentMethodToken },
        checkout(accountId, kept.sessionId, world),
      );
    expect(await again()).to.include({ kind: 'rejected', errorId: 'ServiceUnavailable' });
    await service.connections.disable(second);
    expect(await again()).to.include({ kind: 'rejected', errorId: 'OperationNotSupported' });
    const { state } = await service.streams.sessions.current(kept.sessionId);
    expect('payment' in state ? state.payment : undefined).to.equal(undefined);
  });

  it('keeps the version that chose, when rules are set while a payment runs', async () => {
    const { connect, set, paid } = await routedShop();
    await connect('second');
    await set({ rules: [], default: only('sandbox') });
    const first = await paid();
    await set({ rules: [], default: only('second') });
    expect([first.route?.version, (await paid()).route?.version]).to.deep.equal([1, 2]);
  });

  it('captures, looks up and refunds where the authorization went', async () => {
    const { connect, set, paid, service, sandbox, accountId, world } = await routedShop();
    const second = await connect('second');
    await set({ rules: [], default: only('second') });
    const { id } = await paid();
    await service.payments.capturePayment(id, {}, merchant(accountId, world));
    await service.payments.refundPayment(id, {}, merchant(accountId, world));
    expect((await sandbox.ledgerOf(second, 10)).lines.map(({ operation }) => operation)).to.deep.equal([
      'authorization',
      'capture',
      'refund',
    ]);
  });
});
