// Due work of business time: sessions, single-use tokens, authorizations, and keys of idempotency.
import { expect } from 'chai';
import type { Outcome } from '../../src/domain/payment/outcome.ts';
import type { Payment } from '../../src/domain/payment/payment.ts';
import {
  expireAuthorizations,
  expireInstruments,
  expireSessions,
  resolveUnknownOutcomes,
} from '../../src/policies/due-work.ts';
import { type Policy, runDue } from '../../src/policies/policy.ts';
import { card, checkout, memoryStores, merchant, nodeOn, type Stores, type TestNode } from '../support/node.ts';
import { scripted } from '../support/scripted-processor.ts';
import { type MovableWorld, movableWorld } from '../support/test-world.ts';

const ACCOUNT = 'acc_1';
const DAY_MS = 86_400_000;

describe('with time', () => {
  let world: MovableWorld;
  let stores: Stores;
  let node: TestNode;
  /** The processor's answer to captures; undefined: the sandbox's own. */
  let captures: (() => Promise<Outcome>) | undefined;
  beforeEach(async () => {
    world = movableWorld();
    stores = await memoryStores(world);
    captures = undefined;
    const { sandbox } = stores;
    /** Holds end after seven days. */
    const processor = scripted(sandbox, {
      perform: async (request, call) => {
        if (request.operation === 'capture' && captures !== undefined) return captures();
        const outcome = await sandbox.perform(request, call);
        const isHold = outcome.kind === 'succeeded' && request.operation === 'authorization';
        return isHold
          ? { ...outcome, authorization: { ...outcome.authorization, holdExpiresAt: world.now() + 7 * DAY_MS } }
          : outcome;
      },
    });
    node = await nodeOn(stores, {
      processor,
      timings: { sendWithinMs: 1_000, answerWithinMs: 40, abandonAfterMs: 60_000 },
    });
  });
  afterEach(() => expect(node.reported).to.deep.equal([]));

  const due = <Doc extends object, K extends string>(policy: Policy<Doc, K>): Promise<number> =>
    runDue(policy, node.service.readModels, node.service.work);
  const session = async () => {
    const made = await node.service.sessions.createClientSession(
      { orderId: 'o-1', currencyCode: 'EUR', amount: 1_000 },
      merchant(ACCOUNT, world),
    );
    if (made.kind === 'rejected') throw new Error(made.errorId);
    return made;
  };
  const token = async (sessionId: string, number?: string): Promise<string> => {
    const made = await node.service.instruments.tokenizeCard(card(number), checkout(ACCOUNT, sessionId, world));
    if (made.kind === 'rejected') throw new Error(made.errorId);
    return made.id;
  };
  const pay = async (number?: string) => {
    const { id: sessionId, clientToken } = await session();
    const paymentMethodToken = await token(sessionId, number);
    const paid = await node.service.payments.authorizePayment(
      { clientToken, paymentMethodToken },
      merchant(ACCOUNT, world),
    );
    if (paid.kind === 'rejected') throw new Error(paid.errorId);
    return { id: paid.id, sessionId, paymentMethodToken };
  };
  const stateOf = async (id: string): Promise<Payment> => (await node.service.streams.payments.current(id)).state;
  const statusOf = async (id: string): Promise<string> => (await stateOf(id)).status;
  const holderOf = async (sessionId: string): Promise<unknown> => {
    const { state } = await node.service.streams.sessions.current(sessionId);
    return state.status === 'open' ? state.payment?.paymentId : state.status;
  };

  it('a session expires 30 days after its newest token, on record, once; a paid session does not', async () => {
    const open = await session();
    const paid = await pay();
    world.advance(31 * DAY_MS - 60_000);
    expect(await due(expireSessions(node.service.sessions))).to.equal(0);
    world.advance(60_000);
    expect(await due(expireSessions(node.service.sessions))).to.equal(1);
    expect(await due(expireSessions(node.service.sessions))).to.equal(0);
    expect((await node.service.streams.sessions.current(open.id)).state)
      .to.include({ status: 'open' })
      .and.have.property('expiredAt');
    expect(await holderOf(paid.sessionId)).to.equal(paid.id);
  });

  it('a session whose payment ends after its time expires then', async () => {
    const { id, sessionId } = await pay();
    world.advance(40 * DAY_MS);
    expect(await due(expireSessions(node.service.sessions))).to.equal(0);
    expect(await due(expireAuthorizations(node.service.work))).to.equal(1);
    expect(await statusOf(id)).to.equal('CANCELLED');
    expect(await due(expireSessions(node.service.sessions))).to.equal(1);
    expect((await node.service.streams.sessions.current(sessionId)).state).to.have.property('expiredAt');
  });

  it('a single-use token expires after 24 hours, on record, once, and can still be read; a token that pays does not', async () => {
    const { id: sessionId } = await session();
    const unused = await token(sessionId);
    const paid = await pay();
    const { instruments } = node.service.streams;
    world.advance(DAY_MS);
    expect(await due(expireInstruments(node.service.instruments))).to.equal(1);
    expect(await due(expireInstruments(node.service.instruments))).to.equal(0);
    expect((await instruments.current(unused)).state)
      .to.include({ status: 'tokenized' })
      .and.have.property('expiredAt');
    expect((await instruments.current(paid.paymentMethodToken)).state).not.to.have.property('expiredAt');
    const refused = await node.service.payments.authorizePayment(
      { paymentMethodToken: unused, orderId: 'o', currencyCode: 'EUR', amount: 5 },
      merchant(ACCOUNT, world),
    );
    expect(refused).to.include({ kind: 'rejected', errorId: 'InvalidPaymentInstrumentToken' });
    const read = await node.service.queries.readPaymentInstrument(unused, ACCOUNT);
    expect(read).not.to.include({ kind: 'rejected' });
  });

  it('an authorization without a capture is released at the processor’s time, and the session is free', async () => {
    const { id, sessionId } = await pay();
    world.advance(7 * DAY_MS - 60_000);
    expect(await due(expireAuthorizations(node.service.work))).to.equal(0);
    world.advance(60_000);
    expect(await due(expireAuthorizations(node.service.work))).to.equal(1);
    expect(await statusOf(id)).to.equal('CANCELLED');
    expect(await holderOf(sessionId)).to.equal(undefined);
    expect(await due(expireAuthorizations(node.service.work))).to.equal(0);
  });

  it('an authorization expires only after its capture of unknown outcome is settled', async () => {
    const { id } = await pay();
    captures = async () => ({ kind: 'unknown', detail: 'no answer' });
    await node.service.payments.capturePayment(id, {}, merchant(ACCOUNT, world));
    world.advance(8 * DAY_MS);
    expect(await due(expireAuthorizations(node.service.work))).to.equal(0);
    expect(await statusOf(id)).to.equal('AUTHORIZED');
    // The sandbox never saw it.
    await due(resolveUnknownOutcomes(node.service.work));
    expect(await due(expireAuthorizations(node.service.work))).to.equal(1);
    expect(await statusOf(id)).to.equal('CANCELLED');
  });

  it('an idempotency key is kept for 30 days, and starts again after that, with nothing to be recorded', async () => {
    const create = async (body: string, fields: object) => {
      const made = await node.service.sessions.createClientSession(
        { orderId: 'o-1', currencyCode: 'EUR', amount: 1_000, ...fields },
        merchant(ACCOUNT, world, 'key-1', body),
      );
      return made.kind === 'rejected' ? made.errorId : made.id;
    };
    const first = await create('a', {});
    world.advance(30 * DAY_MS - 60_000);
    expect(await create('a', {})).to.equal(first);
    expect(await create('b', { amount: 5 })).to.equal('IdempotencyKeyReused');
    world.advance(60_000);
    const other = await create('b', { amount: 5 });
    expect(other).to.match(/^cs_/).and.not.to.equal(first);
    expect(await create('b', { amount: 5 })).to.equal(other);
    expect(await create('a', {})).to.equal('IdempotencyKeyReused');
  });

  it('an idempotency key is kept as long as the setting says, and repeats its first response until then', async () => {
    const longer = await nodeOn(stores, { idempotencyDays: 400 });
    const { id: sessionId, clientToken } = await session();
    const paymentMethodToken = await token(sessionId);
    const first = await longer.service.payments.authorizePayment(
      { clientToken, paymentMethodToken },
      merchant(ACCOUNT, world, 'pay-1', 'body'),
    );
    if (first.kind === 'rejected') throw new Error(first.errorId);
    const refund = async () => {
      const done = await longer.service.payments.refundPayment(
        first.id,
        { amount: 100 },
        merchant(ACCOUNT, world, 'refund-1', 'body'),
      );
      return done.kind === 'rejected' ? done.errorId : done.kind;
    };
    await longer.service.payments.capturePayment(first.id, {}, merchant(ACCOUNT, world, 'capture-1', 'body'));
    const kind = await refund();
    const { head } = await longer.service.streams.payments.current(first.id);
    world.advance(399 * DAY_MS);
    expect(await refund()).to.equal(kind);
    expect((await longer.service.streams.payments.current(first.id)).head.revision).to.equal(head.revision);
  });

  it('a payment and its capture are not made twice under a key whose days are over: their streams refuse', async () => {
    const { id: sessionId, clientToken } = await session();
    const paymentMethodToken = await token(sessionId);
    const authorize = async () => {
      const paid = await node.service.payments.authorizePayment(
        { clientToken, paymentMethodToken },
        merchant(ACCOUNT, world, 'pay-1', 'body'),
      );
      return paid.kind === 'rejected' ? paid.errorId : paid.id;
    };
    const id = await authorize();
    const capture = async () => {
      const done = await node.service.payments.capturePayment(id, {}, merchant(ACCOUNT, world, 'capture-1', 'body'));
      return done.kind === 'rejected' ? done.errorId : done.kind;
    };
    expect(await capture()).to.equal('completed');
    const refund = async () => {
      const done = await node.service.payments.refundPayment(id, {}, merchant(ACCOUNT, world, 'refund-1', 'body'));
      return done.kind === 'rejected' ? done.errorId : done.kind;
    };
    expect(await refund()).to.equal('completed');
    const before = (await node.service.streams.payments.current(id)).head.revision;
    world.advance(31 * DAY_MS);
    expect([await authorize(), await capture(), await refund()]).to.deep.equal([
      'ClientSessionValidationError',
      'InvalidPaymentStatus',
      'PaymentAlreadyRefunded',
    ]);
    expect((await node.service.streams.payments.current(id)).head.revision).to.equal(before);
  });
});
