// At a processor without a fence "not found" counts once enough time has provably passed: watched by this process
// itself, or proven by the recorded look-ups.
import { expect } from 'chai';
import { WatchedAttempts } from '../../src/commands/payments/watched-attempts.ts';
import type { Outcome } from '../../src/domain/payment/outcome.ts';
import { dueLookUpAt } from '../../src/domain/payment/queries.ts';
import type { OperationRequest } from '../../src/processors/processor.ts';
import type { World } from '../../src/world.ts';
import { hookedEvents } from '../crash/hooked-stores.ts';
import { done, known } from '../support/answers.ts';
import { callOf } from '../support/call-of.ts';
import {
  card,
  checkout,
  lookUpDue,
  memoryStores,
  merchant,
  nodeOn,
  type Stores,
  type TestNode,
} from '../support/node.ts';
import { scripted } from '../support/scripted-processor.ts';
import { type MovableWorld, movableWorld } from '../support/test-world.ts';
import { wholeLedger } from '../support/whole-ledger.ts';

const ACCOUNT = 'acc_1';
const MINUTES = 60_000;
const TEN_MINUTES = 10 * MINUTES;
/** The sandbox's consistency window. */
const WINDOW = 120_000;

function gate() {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

describe('clocks that differ', () => {
  let world: MovableWorld;
  let stores: Stores;
  beforeEach(async () => {
    world = movableWorld();
    stores = await memoryStores(world);
  });
  /** Another process, whose wall clock is wrong by `ms`. */
  const node = (ms = 0, perform?: (request: OperationRequest) => Promise<Outcome> | undefined): Promise<TestNode> => {
    const own: World = { ...world, now: () => world.now() + ms };
    const events = hookedEvents(stores.events, {}); // the claims are seen before the payment
    const script = { fence: 'none', ...(perform !== undefined && { perform }) } as const;
    return nodeOn({ ...stores, events, world: own }, { processor: scripted(stores.sandbox, script) });
  };
  const begin = async ({ service }: TestNode) => {
    const made = await service.sessions.createClientSession(
      { orderId: 'o-1', currencyCode: 'EUR', amount: 1_000 },
      merchant(ACCOUNT, world),
    );
    if (made.kind === 'rejected') throw new Error(made.errorId);
    const paymentMethodToken = done(
      await service.instruments.tokenizeCard(card(), checkout(ACCOUNT, made.id, world)),
    ).id;
    return { clientToken: made.clientToken, paymentMethodToken };
  };
  const resolve = lookUpDue;
  const current = async ({ service }: TestNode, id: string) =>
    known((await service.streams.payments.current(id)).state);
  const onlyPayment = async ({ service }: TestNode): Promise<string> => {
    const { rows } = await service.queries.listPayments(ACCOUNT, {}, 1);
    return rows[0]?.id ?? '';
  };
  /** How long until the payment is looked up next by the clock of a node that is `ms` ahead. */
  const untilNext = async (one: TestNode, id: string, ms = 0): Promise<number> =>
    (dueLookUpAt(await current(one, id)) ?? Number.NaN) - world.now() - ms;

  /** A call that the test lets go on; resolves `underWay` when it has begun. */
  function heldCall() {
    const [begun, released] = [gate(), gate()];
    const perform = (request: OperationRequest) => {
      begun.open();
      return released.opened.then(() => stores.sandbox.perform(request, callOf()));
    };
    return { underWay: begun.opened, release: released.open, perform };
  }

  it('a node ten minutes ahead never takes a call under way on another node for a call that never arrived', async () => {
    const call = heldCall();
    const slow = await node(0, call.perform);
    const ahead = await node(TEN_MINUTES);
    const paying = slow.service.payments.authorizePayment(await begin(slow), merchant(ACCOUNT, world));
    await call.underWay;
    const id = await onlyPayment(ahead);
    expect(await resolve(ahead)).to.equal(1);
    expect(await current(ahead, id)).to.deep.include({ status: 'PENDING' });
    expect(await untilNext(ahead, id, TEN_MINUTES)).to.be.within(149_000, 150_000);
    // Business time moves on for everybody; the call keeps its deadline by a clock that does not.
    world.advance(TEN_MINUTES);
    expect(await resolve(ahead)).to.equal(1);
    expect(await current(ahead, id)).to.include({ status: 'PENDING' });
    call.release();
    expect(known(done(await paying).doc)).to.include({ status: 'AUTHORIZED' });
    expect(
      (await wholeLedger(stores.sandbox)).map(({ operation, outcome }) => `${operation} ${outcome}`),
    ).to.deep.equal(['authorization succeeded']);
  });

  it('a node ten minutes ahead settles the attempts of a dead node, once it has watched for the window and the longest call', async () => {
    const call = heldCall();
    const dying = await node(0, call.perform);
    const ahead = await node(TEN_MINUTES);
    void dying.service.payments.authorizePayment(await begin(dying), merchant(ACCOUNT, world));
    await call.underWay;
    const id = await onlyPayment(ahead);
    for (const [after, status] of [
      [0, 'PENDING'],
      [WINDOW, 'PENDING'],
      [29_000, 'PENDING'],
      [2_000, 'FAILED'],
    ] as const) {
      world.pass(after);
      await resolve(ahead);
      expect(await current(ahead, id)).to.include({ status });
    }
  });

  it('a node ten minutes slow believes no "not found" before the time on record has come for it as well', async () => {
    const call = heldCall();
    const dying = await node(0, call.perform);
    const behind = await node(-TEN_MINUTES);
    void dying.service.payments.authorizePayment(await begin(dying), merchant(ACCOUNT, world));
    await call.underWay;
    const id = await onlyPayment(behind);
    world.pass(5 * MINUTES);
    expect(await resolve(behind)).to.equal(0);
    world.pass(6 * MINUTES);
    expect(await resolve(behind)).to.equal(1);
    expect(await current(behind, id)).to.include({ status: 'PENDING' });
    world.pass(4 * MINUTES);
    expect(await resolve(behind)).to.equal(1);
    expect(await current(behind, id)).to.include({ status: 'FAILED' });
  });

  it('a node ten minutes slow believes it no sooner because callers ask, however long it has watched', async () => {
    const lost = await node(0, async () => ({ kind: 'unknown', detail: 'reset' }));
    const behind = await node(-TEN_MINUTES);
    const { id } = done(await lost.service.payments.authorizePayment(await begin(lost), merchant(ACCOUNT, world)));
    const askedBy = async (ms: number) => {
      world.pass(ms);
      await behind.service.payments.cancelPayment(id, {}, merchant(ACCOUNT, world));
      return (await current(behind, id)).status;
    };
    expect([
      await askedBy(0),
      await askedBy(2 * WINDOW),
      await askedBy(WINDOW),
      await askedBy(TEN_MINUTES),
    ]).to.deep.equal(['PENDING', 'PENDING', 'PENDING', 'FAILED']);
  });

  it('a wall clock that jumps forward proves nothing', async () => {
    let jumped = 0;
    const own: World = { ...world, now: () => world.now() + jumped };
    const perform = async (): Promise<Outcome> => ({ kind: 'unknown', detail: 'reset' });
    const one = await nodeOn(
      { ...stores, world: own },
      { processor: scripted(stores.sandbox, { perform, fence: 'none' }) },
    );
    const { id } = done(await one.service.payments.authorizePayment(await begin(one), merchant(ACCOUNT, world)));
    jumped = 60 * MINUTES;
    await resolve(one);
    expect(await current(one, id)).to.include({ status: 'PENDING' });
    expect(await untilNext(one, id, jumped)).to.be.within(WINDOW - 1_000, WINDOW);
    world.pass(WINDOW);
    await resolve(one);
    expect(await current(one, id)).to.include({ status: 'FAILED' });
  });

  it('a process that was just started looks at once, and again when it has watched for long enough, not in an hour', async () => {
    const perform = async (): Promise<Outcome> => ({ kind: 'unknown', detail: 'reset' });
    const before = await node(0, perform);
    const { id } = done(await before.service.payments.authorizePayment(await begin(before), merchant(ACCOUNT, world)));
    world.pass(6 * MINUTES);
    const restarted = await node();
    expect(await resolve(restarted)).to.equal(1);
    expect(await current(restarted, id)).to.include({ status: 'PENDING' });
    expect(await untilNext(restarted, id)).to.be.within(WINDOW - 1_000, WINDOW);
    world.pass(WINDOW);
    expect(await resolve(restarted)).to.equal(1);
    expect(await current(restarted, id)).to.include({ status: 'FAILED' });
  });

  describe('processes that end before they have watched for long enough', () => {
    const unanswered = async (): Promise<Outcome> => ({ kind: 'unknown', detail: 'reset' });
    const missing = { lookUp: () => ({ kind: 'not_found' }) as const };
    /** A process that looks up the due attempts, once, and ends. */
    const lookOnce = async (ms = 0): Promise<TestNode> => {
      const one = await node(ms);
      await resolve(one);
      return one;
    };

    it('settle by their look-ups on record, once these lie further apart than the window and the clocks of two nodes', async () => {
      const first = await node(0, unanswered);
      const { id } = done(await first.service.payments.authorizePayment(await begin(first), merchant(ACCOUNT, world)));
      world.pass(MINUTES);
      await lookOnce(); // the first "not found" on record
      const statuses: string[] = [];
      for (let life = 1; life <= 6; life += 1) {
        world.pass(130_000);
        statuses.push((await current(await lookOnce(), id)).status);
      }
      expect(statuses).to.deep.equal([...Array<string>(5).fill('PENDING'), 'FAILED']);
      const { events = [] } = (await current(first, id)).attempts[0] ?? {};
      expect(events.at(-1)).to.include({ type: 'AuthorizationNotFound', evidence: 'lookup' });
    });

    it('prove nothing to a node whose clock is ten minutes ahead of theirs', async () => {
      const first = await nodeOn(stores, {
        processor: scripted(stores.sandbox, { perform: unanswered, fence: 'none', ...missing }),
      });
      const { id } = done(await first.service.payments.authorizePayment(await begin(first), merchant(ACCOUNT, world)));
      world.pass(MINUTES);
      await resolve(first);
      world.pass(MINUTES);
      const ahead = await lookOnce(TEN_MINUTES);
      expect(await current(ahead, id)).to.include({ status: 'PENDING' });
    });

    it('prove nothing by a wall clock that jumps in one of them', async () => {
      const first = await node(0, unanswered);
      const { id } = done(await first.service.payments.authorizePayment(await begin(first), merchant(ACCOUNT, world)));
      world.pass(MINUTES);
      await lookOnce();
      let jumped = 0;
      const jumping = await nodeOn(
        { ...stores, world: { ...world, now: () => world.now() + jumped } },
        { processor: scripted(stores.sandbox, { fence: 'none' }) },
      );
      world.pass(5 * MINUTES);
      await resolve(jumping);
      jumped = 60 * MINUTES;
      await resolve(jumping);
      expect(await current(jumping, id)).to.include({ status: 'PENDING' });
    });

    it('do not turn a call under way on another node into a call that never arrived, however far business time is moved', async () => {
      const call = heldCall();
      const slow = await node(0, call.perform);
      const paying = slow.service.payments.authorizePayment(await begin(slow), merchant(ACCOUNT, world));
      await call.underWay;
      const id = await onlyPayment(slow);
      world.advance(TEN_MINUTES);
      await lookOnce();
      world.advance(60 * MINUTES);
      expect(await current(await lookOnce(), id)).to.include({ status: 'PENDING' });
      call.release();
      expect(known(done(await paying).doc)).to.include({ status: 'AUTHORIZED' });
    });
  });

  it('a new operation brings the next look-up forward, once, and does not settle by it', async () => {
    const perform = async (): Promise<Outcome> => ({ kind: 'unknown', detail: 'reset' });
    const before = await node(0, perform);
    const { id } = done(await before.service.payments.authorizePayment(await begin(before), merchant(ACCOUNT, world)));
    world.pass(MINUTES);
    await resolve(before); // the next one is at 5 min
    world.pass(5 * MINUTES);
    const silent = await nodeOn(stores, {
      processor: scripted(stores.sandbox, { lookUp: () => ({ kind: 'unknown', detail: 'away' }), fence: 'none' }),
    });
    await resolve(silent); // the next one is at 1 h
    const restarted = await node();
    for (let tries = 0; tries < 3; tries += 1) {
      const captured = await restarted.service.payments.capturePayment(id, {}, merchant(ACCOUNT, world));
      expect(captured).to.deep.include({ kind: 'rejected', errorId: 'PaymentOperationInProgress' });
      expect(captured).to.have.property('retryAfterSeconds').that.is.within(119, 120);
    }
    expect((await current(restarted, id)).attempts[0]).to.include({ lookUps: 3 });
    world.pass(WINDOW);
    await resolve(restarted);
    expect(await current(restarted, id)).to.include({ status: 'FAILED' });
  });

  it('an attempt that a notification settled meanwhile stays settled, however long "not found" was watched', async () => {
    const before = await node(0, async () => ({ kind: 'unknown', detail: 'reset' }));
    const asked = await begin(before);
    const { id } = done(await before.service.payments.authorizePayment(asked, merchant(ACCOUNT, world)));
    const absent = await nodeOn(stores, {
      processor: scripted(stores.sandbox, { lookUp: () => ({ kind: 'not_found' }) }),
    });
    world.pass(MINUTES);
    await resolve(absent);
    const [attempt] = (await current(absent, id)).attempts;
    const { reference = '', processorToken = '' } = attempt ?? {};
    const request = {
      accountId: ACCOUNT,
      paymentId: id,
      amount: 1_000,
      currencyCode: 'EUR',
      requestedAt: 0,
      processorToken,
      reference,
    };
    await stores.sandbox.perform({ ...request, operation: 'authorization' }, callOf());
    const other = await node();
    world.pass(5 * MINUTES);
    await resolve(other);
    world.pass(60 * MINUTES);
    await resolve(absent);
    expect(await current(absent, id)).to.include({ status: 'AUTHORIZED' });
  });

  it('a claim whose payment is being made on a node ten minutes slow may be fenced off, and then no card is charged', async () => {
    const slow = await node();
    const ahead = await node(TEN_MINUTES);
    const asked = await begin(slow);
    const { streams } = slow.service;
    const { append } = streams.payments;
    const [claimed, released] = [gate(), gate()];
    streams.payments.append = async (...args) => {
      claimed.open();
      await released.opened;
      return append.apply(streams.payments, args);
    };
    const first = slow.service.payments.authorizePayment(asked, merchant(ACCOUNT, world));
    await claimed.opened;
    const second = done(
      await ahead.service.payments.authorizePayment(asked, {
        ...merchant(ACCOUNT, world),
        at: world.now() + TEN_MINUTES,
      }),
    );
    expect(known(second.doc)).to.include({ status: 'AUTHORIZED' });
    released.open();
    expect(await first).to.include({ kind: 'rejected' });
    expect((await wholeLedger(stores.sandbox)).map(({ operation }) => operation)).to.deep.equal(['authorization']);
  });
});

describe('the attempts that are watched', () => {
  const nothingProven = () => 0;

  it('are watched from the first time on, with the time proven by then, until they are forgotten', () => {
    let now = 5;
    const watched = new WatchedAttempts({ steady: () => now * 10, monotonic: () => now });
    expect(watched.watch('a', () => 40)).to.deep.equal({ steady: 50, monotonic: 5, provenMs: 40 });
    now = 7;
    expect(watched.watch('a', () => 90)).to.deep.equal({ steady: 50, monotonic: 5, provenMs: 40 });
    expect(watched.watch('b', nothingProven).monotonic).to.equal(7);
    watched.forget('a');
    expect(watched.watch('a', () => 90)).to.deep.equal({ steady: 70, monotonic: 7, provenMs: 90 });
  });

  it('are bounded in number: the attempt that was unchecked for longest is watched again from the start', () => {
    let now = 0;
    const watched = new WatchedAttempts({ steady: () => now, monotonic: () => now });
    for (now = 1; now <= 100_001; now += 1) watched.watch(`a${now}`, nothingProven);
    expect(watched.watch('a2', nothingProven).monotonic).to.equal(2);
    expect(watched.watch('a1', nothingProven).monotonic).to.equal(100_002);
  });
});
