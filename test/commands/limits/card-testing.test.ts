// The limits against card testing where it counts: at once, later, through a merchant's backend, and under ever new
// keys.
import { expect } from 'chai';
import { Notice } from '../../../src/app-error.ts';
import type { Answer, Caller } from '../../../src/commands/caller.ts';
import { isKnown } from '../../../src/domain/payment/queries.ts';
import type { Processor } from '../../../src/processors/processor.ts';
import { appendedBy } from '../../support/http-appended.ts';
import {
  card,
  checkout,
  lookUpDue,
  memoryStores,
  merchant,
  nodeOn,
  type Stores,
  type TestNode,
} from '../../support/node.ts';
import { scripted } from '../../support/scripted-processor.ts';
import { type MovableWorld, movableWorld } from '../../support/test-world.ts';
import { wholeLedger } from '../../support/whole-ledger.ts';

const ACCOUNT = 'acc_1';
const DECLINED = '4000000000000002';
const PENDING_THEN_DECLINED = '4000009900001028';
const PENDING_THEN_AUTHORIZED = '4000009900001010';

const outcomeOf = <Doc extends { readonly status: string }>(answer: Answer<Doc>): string =>
  answer.kind === 'rejected' ? answer.errorId : answer.doc.status;
const times = <T>(count: number, one: (index: number) => Promise<T>): Promise<readonly T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => one(index)));
const tally = (outcomes: readonly string[]): object =>
  Object.fromEntries(
    [...new Set(outcomes)].map((outcome) => [outcome, outcomes.filter((one) => one === outcome).length]),
  );

interface Session {
  readonly id: string;
  readonly clientToken: string;
}

describe('the limits against card testing', () => {
  let world: MovableWorld;
  let stores: Stores;
  let node: TestNode;
  beforeEach(async () => {
    world = movableWorld();
    stores = await memoryStores(world);
    node = await nodeOn(stores);
  });

  const openSession = async (): Promise<Session> => {
    const made = await node.service.sessions.createClientSession(
      { orderId: 'o-1', currencyCode: 'EUR', amount: 1_000 },
      merchant(ACCOUNT, world),
    );
    if (made.kind === 'rejected') throw new Error(made.errorId);
    return made;
  };
  const tokenize = async ({ id }: Session, number: string): Promise<string> => {
    const made = await node.service.instruments.tokenizeCard(card(number), checkout(ACCOUNT, id, world));
    if (made.kind === 'rejected') throw new Error(made.errorId);
    return made.id;
  };
  const inCheckout = async (session: Session, number: string) =>
    node.service.payments.authorizeCheckoutPayment(
      { paymentMethodToken: await tokenize(session, number) },
      checkout(ACCOUNT, session.id, world),
    );
  const byBackend = async (session: Session, number: string) =>
    node.service.payments.authorizePayment(
      { paymentMethodToken: await tokenize(session, number), clientToken: session.clientToken },
      merchant(ACCOUNT, world),
    );
  const resolve = () => lookUpDue(node);
  const declinesAtProcessor = async (): Promise<number> =>
    (await wholeLedger(stores.sandbox)).filter(({ outcome }) => outcome === 'declined').length;
  const notices = (): readonly string[] => node.reported.flatMap((one) => (one instanceof Notice ? [one.message] : []));

  it('let ten of sixty sessions through that pay at once with one card that is declined', async () => {
    const sessions = await times(60, openSession);
    const tokens = await times(60, async (index) => tokenize(sessions[index] ?? (await openSession()), DECLINED));
    const answers = await times(60, (index) =>
      node.service.payments.authorizeCheckoutPayment(
        { paymentMethodToken: tokens[index] ?? '' },
        checkout(ACCOUNT, sessions[index]?.id ?? '', world),
      ),
    );
    expect(tally(answers.map(outcomeOf))).to.deep.equal({ DECLINED: 10, TooManyRequests: 50 });
    expect(await declinesAtProcessor()).to.equal(10);
    expect(notices()).to.have.length(1);
    expect(notices()[0]).to.match(/^Card testing\? \S{12} has reached the limit declines-per-card of 10 an hour/);
  });

  it('give a point back for a payment that was not declined, so that one good card pays any number of times', async () => {
    for (let index = 0; index < 15; index += 1)
      expect(outcomeOf(await inCheckout(await openSession(), '4242424242424242'))).to.equal('AUTHORIZED');
    for (let index = 0; index < 12; index += 1)
      expect(outcomeOf(await inCheckout(await openSession(), '4000009900001085'))).to.equal('FAILED');
  });

  it('give a point back for an attempt that was refused before it began', async () => {
    const session = await openSession();
    expect(outcomeOf(await inCheckout(session, '4242424242424242'))).to.equal('AUTHORIZED');
    for (let index = 0; index < 12; index += 1)
      expect(outcomeOf(await inCheckout(session, DECLINED))).to.equal('ClientSessionCompleted');
    expect(outcomeOf(await inCheckout(await openSession(), DECLINED))).to.equal('DECLINED');
  });

  it('count a pending attempt until it is known, and a decline by look-up once', async () => {
    for (let index = 0; index < 10; index += 1)
      expect(outcomeOf(await inCheckout(await openSession(), PENDING_THEN_DECLINED))).to.equal('PENDING');
    expect(await inCheckout(await openSession(), PENDING_THEN_DECLINED)).to.include({
      errorId: 'TooManyRequests',
      retryAfterSeconds: 5,
    });
    world.advance(31_000);
    expect(await resolve()).to.equal(10);
    const refused = await inCheckout(await openSession(), PENDING_THEN_DECLINED);
    if (refused.kind !== 'rejected') throw new Error('it was let through');
    expect(refused.errorId).to.equal('TooManyRequests');
    expect(refused.retryAfterSeconds).to.be.within(3_000, 3_600);
  });

  it('forget a pending attempt that was authorized', async () => {
    for (let index = 0; index < 10; index += 1)
      expect(outcomeOf(await inCheckout(await openSession(), PENDING_THEN_AUTHORIZED))).to.equal('PENDING');
    world.advance(31_000);
    expect(await resolve()).to.equal(10);
    expect(outcomeOf(await inCheckout(await openSession(), PENDING_THEN_AUTHORIZED))).to.equal('PENDING');
  });

  it('count a decline on the node that learns it, whichever node had asked', async () => {
    const sessions = await times(10, openSession);
    for (const session of sessions)
      expect(outcomeOf(await inCheckout(session, PENDING_THEN_DECLINED))).to.equal('PENDING');
    node = await nodeOn(stores);
    world.advance(31_000);
    expect(await resolve()).to.equal(10);
    expect(await resolve()).to.equal(0);
    expect(outcomeOf(await inCheckout(await openSession(), PENDING_THEN_DECLINED))).to.equal('TooManyRequests');
  });

  it('count a decline that comes by notification, however often it comes', async () => {
    const notify = async (notificationId: string, reference: string): Promise<void> => {
      const raw = JSON.stringify({
        notificationId,
        type: 'authorization.failed',
        occurredAt: new Date(world.now()).toISOString(),
        reference,
        processorTransactionId: 'tx',
        amount: 1_000,
        currencyCode: 'EUR',
        declineCode: 'GENERIC_DECLINE',
      });
      const received = await node.service.notifications.receiveNotification(
        { processor: 'sandbox', raw, headers: {} },
        merchant(ACCOUNT, world),
      );
      if (received.kind !== 'received') throw new Error(received.kind);
      await received.handled;
    };
    node = await nodeOn(stores, { processor: credulous(stores.sandbox) });
    for (let index = 0; index < 9; index += 1) {
      const paid = await inCheckout(await openSession(), PENDING_THEN_DECLINED);
      if (paid.kind === 'rejected' || !isKnown(paid.doc)) throw new Error('it was not let through');
      const reference = paid.doc.attempts[0]?.reference ?? '';
      await Promise.all([notify(`n-${index}`, reference), notify(`m-${index}`, reference)]);
      expect(await node.service.streams.payments.load(paid.id)).to.have.nested.property('state.status', 'DECLINED');
    }
    const tenth = await inCheckout(await openSession(), PENDING_THEN_DECLINED);
    expect(outcomeOf(tenth)).to.equal('PENDING');
    if (tenth.kind === 'rejected' || !isKnown(tenth.doc)) throw new Error('it was not let through');
    await notify('n-9', tenth.doc.attempts[0]?.attemptId ?? '');
    const refused = await inCheckout(await openSession(), PENDING_THEN_DECLINED);
    expect(outcomeOf(refused)).to.equal('TooManyRequests');
  });

  it("count payments of a merchant's backend for a session, and never those without a session", async () => {
    const vaulted = await tokenize(await openSession(), DECLINED);
    const made = await node.service.instruments.vaultInstrument(
      vaulted,
      { customerId: 'c-1' },
      merchant(ACCOUNT, world),
    );
    expect(made.kind).to.equal('completed');
    const session = await openSession();
    for (let index = 0; index < 10; index += 1)
      expect(outcomeOf(await byBackend(session, DECLINED))).to.equal('DECLINED');
    const named = (limit: string) => ({
      errorId: 'TooManyRequests',
      description: `Too many card attempts: the limit ${limit} is reached.`,
    });
    expect(await byBackend(session, '4242424242424242')).to.include(named('declines-per-session'));
    expect(await byBackend(await openSession(), DECLINED)).to.include(named('declines-per-card'));
    const own = () =>
      node.service.payments.authorizePayment(
        { paymentMethodToken: vaulted, orderId: 'o-2', currencyCode: 'EUR', amount: 500, customerId: 'c-1' },
        merchant(ACCOUNT, world),
      );
    for (let index = 0; index < 12; index += 1) expect(outcomeOf(await own())).to.equal('DECLINED');
  });

  it('are named to the caller that reaches one, except that a checkout is not told of a card', async () => {
    const session = await openSession();
    for (let index = 0; index < 10; index += 1)
      expect(outcomeOf(await inCheckout(session, DECLINED))).to.equal('DECLINED');
    const named = (limit: string) => `Too many card attempts: the limit ${limit} is reached.`;
    expect(await inCheckout(session, '4242424242424242')).to.include({ description: named('declines-per-session') });
    expect(await inCheckout(await openSession(), DECLINED)).to.include({ description: 'Too many card attempts.' });
    for (let index = 0; index < 19; index += 1) await tokenize(session, '4242424242424242');
    const ofSession = await node.service.instruments.tokenizeCard(card(), checkout(ACCOUNT, session.id, world));
    expect(ofSession).to.include({ description: named('tokenizations-per-session') });
  });

  it('tell operators once an hour whom they refused, in one line without a stack', async () => {
    const session = await openSession();
    for (let index = 0; index < 30; index += 1) await tokenize(session, '4242424242424242');
    const again = () => node.service.instruments.tokenizeCard(card(), checkout(ACCOUNT, session.id, world));
    for (let index = 0; index < 5; index += 1) expect(await again()).to.include({ errorId: 'TooManyRequests' });
    expect(notices()).to.have.length(1);
    expect(notices()[0]).to.include('tokenizations-per-session').and.to.include(session.id).and.not.to.include('\n');
    expect(node.reported).to.have.length(1);
  });

  it('count the tokenizations of a whole /64', async () => {
    const from = async (address: string) => {
      const { id } = await openSession();
      const caller: Caller = { ...checkout(ACCOUNT, id, world), address };
      return times(30, () => node.service.instruments.tokenizeCard(card(), caller));
    };
    for (let host = 0; host < 10; host += 1) await from(`2001:db8::${host}`);
    expect((await from('2001:db8::ffff')).map(({ kind }) => kind)).to.deep.equal(
      Array.from({ length: 30 }, () => 'rejected'),
    );
    expect((await from('2001:db8:0:1::1')).map(({ kind }) => kind)).to.deep.equal(
      Array.from({ length: 30 }, () => 'completed'),
    );
    expect(notices().at(0)).to.include('tokenizations-per-address').and.to.include('2001:db8:0:0::/64');
  });

  describe('and idempotency keys', () => {
    const keyed = (session: Session, key: string): Caller => ({
      ...checkout(ACCOUNT, session.id, world),
      idempotency: { key, request: '' },
    });

    it('leave no trace of tokenizations that are refused under ever new keys', async () => {
      const session = await openSession();
      const [first] = await times(30, (index) =>
        node.service.instruments.tokenizeCard(card(), keyed(session, `k-${index}`)),
      );
      const refused = await appendedBy(stores.events, () =>
        times(20, (index) => node.service.instruments.tokenizeCard(card(), keyed(session, `n-${index}`))),
      );
      expect(tally(refused.answer.map(({ kind }) => kind))).to.deep.equal({ rejected: 20 });
      expect(refused.types).to.deep.equal([]);
      const replayed = await node.service.instruments.tokenizeCard(card(), keyed(session, 'k-0'));
      if (first?.kind !== 'completed') throw new Error('the first was refused');
      expect(replayed).to.include({ kind: 'completed', id: first.id, replayed: true });
    });

    it('leave no trace of payments with tokens that do not exist, or beyond a limit; but a payment is answered again', async () => {
      const session = await openSession();
      const unknown = await appendedBy(stores.events, () =>
        node.service.payments.authorizeCheckoutPayment({ paymentMethodToken: 'pm_none' }, keyed(session, 'none')),
      );
      expect(unknown.answer).to.include({ errorId: 'InvalidPaymentInstrumentToken' });
      expect(unknown.types).to.deep.equal([]);
      const paymentMethodToken = await tokenize(session, DECLINED);
      const paid = await node.service.payments.authorizeCheckoutPayment({ paymentMethodToken }, keyed(session, 'paid'));
      for (let index = 0; index < 9; index += 1) await inCheckout(session, DECLINED);
      const another = await tokenize(session, DECLINED);
      const refused = await appendedBy(stores.events, () =>
        node.service.payments.authorizeCheckoutPayment({ paymentMethodToken: another }, keyed(session, 'eleventh')),
      );
      expect(refused.answer).to.include({ errorId: 'TooManyRequests' });
      expect(refused.types).to.deep.equal([]);
      const again = await node.service.payments.authorizeCheckoutPayment(
        { paymentMethodToken },
        keyed(session, 'paid'),
      );
      if (paid.kind !== 'completed') throw new Error('the first was refused');
      expect(again).to.include({ kind: 'completed', id: paid.id, replayed: true });
    });
  });

  it('are all off together', async () => {
    node = await nodeOn(stores, { cardTestingLimits: false });
    for (let index = 0; index < 12; index += 1)
      expect(outcomeOf(await inCheckout(await openSession(), DECLINED))).to.equal('DECLINED');
    expect(node.reported).to.deep.equal([]);
  });
});

/** The sandbox, believing unsigned notifications: signatures are tested elsewhere. */
const credulous = (sandbox: Processor): Processor =>
  scripted(sandbox, {
    notifications: (raw) => sandbox.reread(raw) ?? 'unparsable',
  });
