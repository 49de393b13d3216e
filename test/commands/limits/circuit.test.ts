// The breaker in front of a processor: when it opens, the operations that it admits, and refusals before any write.
import { expect } from 'chai';
import { Notice } from '../../../src/app-error.ts';
import {
  Circuit,
  type CircuitCallKind,
  type CircuitLimits,
  defaultCircuit,
} from '../../../src/commands/limits/circuit.ts';
import type { Rejection } from '../../../src/domain/decider.ts';
import type { LookUp, Outcome } from '../../../src/domain/payment/outcome.ts';
import type { ProcessorNotification } from '../../../src/processors/processor.ts';
import { done, known } from '../../support/answers.ts';
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
import { type Script, scripted } from '../../support/scripted-processor.ts';
import { type MovableWorld, movableWorld } from '../../support/test-world.ts';

describe('a circuit', () => {
  let now: number;
  let told: string[];
  let circuit: Circuit;
  beforeEach(() => {
    now = 1_000_000;
    told = [];
    circuit = new Circuit({
      world: { monotonic: () => now },
      limits: defaultCircuit,
      changed: (isOpen, calls, failed) => void told.push(isOpen ? `open: ${failed} of ${calls}` : 'closed'),
    });
  });
  const calls = (count: number, answered: boolean, kind: CircuitCallKind = 'operation'): void => {
    for (let call = 0; call < count; call += 1) circuit.ended(kind, answered);
  };

  it('stays closed for a few calls, whatever becomes of them', () => {
    calls(19, false);
    expect([circuit.admit(), told]).to.deep.equal([0, []]);
  });

  it('opens at the twentieth call, when half of them went unanswered', () => {
    calls(10, true);
    calls(9, false);
    expect(told).to.deep.equal([]);
    calls(1, false);
    expect([circuit.admit(), told]).to.deep.equal([10_000, ['open: 10 of 20']]);
  });

  it('stays closed while more than half of many calls are answered', () => {
    for (let round = 0; round < 500; round += 1) {
      calls(51, true);
      calls(49, false);
      now += 100;
    }
    expect([circuit.admit(), told]).to.deep.equal([0, []]);
  });

  it('counts no calls that are older than its window', () => {
    for (let call = 0; call < 100; call += 1) {
      calls(1, false);
      now += 1_600;
    }
    expect(told).to.deep.equal([]);
    now += 60_000;
    calls(19, false);
    expect(told).to.deep.equal([]);
    calls(1, false);
    expect(told).to.deep.equal(['open: 20 of 20']);
  });

  it('lets one operation try after its time, and the next one as much later', () => {
    calls(20, false);
    now += 9_999;
    expect([circuit.waitMs(), circuit.admit()]).to.deep.equal([1, 1]);
    now += 1;
    expect([circuit.waitMs(), circuit.waitMs()]).to.deep.equal([0, 0]); // who looks takes no try
    expect([circuit.admit(), circuit.admit()]).to.deep.equal([0, 10_000]);
    calls(1, false);
    expect(circuit.admit()).to.equal(10_000);
    now += 10_000;
    expect([circuit.admit(), circuit.admit()]).to.deep.equal([0, 10_000]);
    expect(told).to.deep.equal(['open: 20 of 20']);
  });

  it('lets the next operation try instead of an operation that ended without a call', () => {
    calls(20, false);
    circuit.untried();
    expect(circuit.admit()).to.equal(10_000); // no operation had been admitted
    now += 10_000;
    expect(circuit.admit()).to.equal(0);
    circuit.untried();
    expect([circuit.admit(), circuit.admit()]).to.deep.equal([0, 10_000]);
    calls(1, false);
    circuit.untried();
    expect(circuit.admit()).to.equal(10_000);
  });

  it('opens when operations go unanswered, however many cards are tokenized and look-ups answered', () => {
    for (let payment = 0; payment < 20; payment += 1) {
      calls(1, true, 'tokenization');
      calls(2, true, 'look_up');
      calls(1, false);
    }
    expect([circuit.admit(), told]).to.deep.equal([10_000, ['open: 20 of 20']]);
  });

  it('closes at any response, and counts from zero', () => {
    calls(20, false);
    calls(1, true);
    expect([circuit.admit(), told]).to.deep.equal([0, ['open: 20 of 20', 'closed']]);
    calls(18, false);
    expect(circuit.admit()).to.equal(0);
    calls(1, false);
    expect(told.at(-1)).to.equal('open: 19 of 20');
  });
});

const ACCOUNT = 'acc_1';
const timings = { sendWithinMs: 1_000, answerWithinMs: 40, abandonAfterMs: 60_000 };
const limits: CircuitLimits = { ...defaultCircuit, minCalls: 3 };

describe('a processor that does not answer', () => {
  let world: MovableWorld;
  let stores: Stores;
  let node: TestNode;
  let isUnavailable: boolean;
  let word: ProcessorNotification | undefined;
  beforeEach(async () => {
    world = movableWorld();
    stores = await memoryStores(world);
    isUnavailable = false;
    node = await open({
      perform: () => (isUnavailable ? lost() : undefined),
      lookUp: () => (isUnavailable ? silence : undefined),
      notifications: () => (word === undefined ? 'unparsable' : [word]),
    });
  });
  const open = (script: Script): Promise<TestNode> =>
    nodeOn(stores, { timings, circuit: limits, processor: scripted(stores.sandbox, script) });
  const lost = async (): Promise<Outcome> => ({ kind: 'unknown', detail: 'reset' });
  const silence: LookUp = { kind: 'unknown', detail: 'reset' };
  const caller = (key?: string) => merchant(ACCOUNT, world, key, 'body');
  const begin = async (fields: object = {}) => {
    const order = { orderId: 'o-1', currencyCode: 'EUR' as const, amount: 1_000, ...fields };
    const made = await node.service.sessions.createClientSession(order, caller());
    if (made.kind === 'rejected') throw new Error(made.errorId);
    const paymentMethodToken = done(
      await node.service.instruments.tokenizeCard(card(), checkout(ACCOUNT, made.id, world)),
    ).id;
    return { sessionId: made.id, asked: { clientToken: made.clientToken, paymentMethodToken } };
  };
  const pay = async (fields: object = {}, key?: string) =>
    done(await node.service.payments.authorizePayment((await begin(fields)).asked, caller(key)));
  const resolve = () => lookUpDue(node);
  const current = async (id: string) => known((await node.service.streams.payments.current(id)).state);
  const head = () => stores.events.head();
  /** As many payments whose outcome stays unknown as open the circuit. */
  const breakDown = async (): Promise<readonly string[]> => {
    const ready = [await begin(), await begin(), await begin()];
    world.pass(31_000); // their tokens were answers
    isUnavailable = true;
    const ids: string[] = [];
    for (const { asked } of ready) ids.push(done(await node.service.payments.authorizePayment(asked, caller())).id);
    return ids;
  };
  const refusedWith503 = (answer: { readonly kind: string } | Rejection): void => {
    expect(answer).to.deep.include({ kind: 'rejected', errorId: 'ServiceUnavailable', retryAfterSeconds: 10 });
  };

  it('is not called for new operations: 503, and no event is written, not even a claim of the key', async () => {
    const estimated = { paymentMethod: { authorizationType: 'ESTIMATED' } };
    const { id } = await pay(estimated);
    const captured = await pay();
    done(await node.service.payments.capturePayment(captured.id, {}, caller()));
    const { sessionId, asked } = await begin();
    await breakDown();
    const before = await head();
    const { service } = node;
    for (const key of [undefined, 'k-1']) {
      refusedWith503(await service.payments.authorizePayment(asked, caller(key)));
      refusedWith503(await service.payments.authorizeCheckoutPayment(asked, checkout(ACCOUNT, sessionId, world)));
      refusedWith503(await service.instruments.tokenizeCard(card(), checkout(ACCOUNT, sessionId, world)));
      refusedWith503(await service.payments.capturePayment(id, {}, caller(key)));
      refusedWith503(await service.payments.cancelPayment(id, {}, caller(key)));
      refusedWith503(await service.payments.adjustAuthorization(id, { amount: 5 }, caller(key)));
      refusedWith503(await service.payments.refundPayment(captured.id, {}, caller(key)));
    }
    expect(await head()).to.deep.equal(before);
  });

  it('does not keep a finished call from being answered again', async () => {
    const { asked } = await begin();
    const first = done(await node.service.payments.authorizePayment(asked, caller('k-1')));
    await breakDown();
    expect(done(await node.service.payments.authorizePayment(asked, caller('k-1')))).to.deep.equal({
      ...first,
      replayed: true,
    });
  });

  it('is tried by one operation when its time has come, which is then made as ever', async () => {
    const { asked } = await begin();
    const { asked: other } = await begin();
    await breakDown();
    world.pass(10_000);
    const tried = done(await node.service.payments.authorizePayment(asked, caller()));
    expect(tried.status).to.equal(202);
    refusedWith503(await node.service.payments.authorizePayment(other, caller()));
    isUnavailable = false;
    world.pass(10_000);
    expect(known(done(await node.service.payments.authorizePayment(other, caller())).doc)).to.include({
      status: 'AUTHORIZED',
    });
    expect(known((await pay()).doc)).to.include({ status: 'AUTHORIZED' });
  });

  it('is not kept from being tried by operations that are refused anyway', async () => {
    const { sessionId, asked } = await begin({ paymentMethod: { orderedAllowedCardNetworks: ['VISA'] } });
    const { id } = await pay();
    const { id: used } = await pay();
    done(await node.service.payments.capturePayment(used, {}, caller()));
    const { service } = node;
    const paid = await begin();
    done(await service.payments.authorizePayment(paid.asked, caller()));
    await breakDown();
    world.pass(10_000);
    isUnavailable = false;
    const refused = [
      await service.payments.capturePayment(used, {}, caller()),
      await service.payments.capturePayment(used, {}, caller('k-1')),
      await service.payments.refundPayment(id, {}, caller()),
      await service.payments.authorizePayment(
        { ...asked, paymentMethodToken: paid.asked.paymentMethodToken },
        caller(),
      ),
      await service.instruments.tokenizeCard(card('5555555555554444'), checkout(ACCOUNT, sessionId, world)),
    ].map((answer) => (answer.kind === 'rejected' ? answer.errorId : answer.kind));
    expect(refused).to.deep.equal([
      'InvalidPaymentStatus',
      'InvalidPaymentStatus',
      'InvalidPaymentStatus',
      'InvalidPaymentInstrumentToken',
      'RequestValidationError',
    ]);
    expect(known(done(await service.payments.authorizePayment(asked, caller())).doc)).to.include({
      status: 'AUTHORIZED',
    });
  });

  it('is still asked for outcomes, and is back with its first answer: operators see both', async () => {
    const ids = await breakDown();
    world.pass(31_000);
    await resolve();
    for (const id of ids) expect(await current(id)).to.include({ status: 'PENDING' });
    expect(node.reported).to.have.length(1);
    isUnavailable = false;
    world.pass(300_000);
    await resolve(); // "not found" is a word as well
    expect(known((await pay()).doc)).to.include({ status: 'AUTHORIZED' });
    expect(node.reported.map((notice) => (notice instanceof Notice ? notice.message : notice))).to.deep.equal([
      'The circuit of the processor sandbox for account acc_1 is open: 3 of 3 calls in 30 s were not answered. ' +
        'New operations get 503 until the processor responds; one operation every 10 s, and calls for existing payments, are let through.',
      'The processor sandbox for account acc_1 responds again; its circuit is closed.',
    ]);
  });

  it('is still sent the follow-ups of its answers, which no other caller would ask for', async () => {
    const automatic = { paymentMethod: { captureMode: 'AUTOMATIC' } };
    const { asked } = await begin(automatic);
    isUnavailable = true;
    const { id, doc } = done(await node.service.payments.authorizePayment(asked, caller()));
    isUnavailable = false;
    await breakDown();
    const [attempt] = known(doc).attempts;
    word = {
      notificationId: 'n-1',
      occurredAt: world.now(),
      subject: { reference: attempt?.reference ?? '' },
      about: {
        operation: 'authorization',
        outcome: { kind: 'succeeded', processorTransactionId: 'tx', amount: 1_000, currencyCode: 'EUR' },
      },
    };
    const received = await node.service.notifications.receiveNotification(
      { processor: 'sandbox', raw: '{}', headers: {} },
      caller(),
    );
    if (received.kind !== 'received') throw new Error(received.kind);
    await received.handled;
    const { status, attempts } = await current(id);
    expect([status, ...attempts.map(({ operation, state }) => `${operation} ${state}`)]).to.deep.equal([
      'AUTHORIZED',
      'authorization succeeded',
      'capture unknown',
    ]);
  });

  it('of which only cards tell that they time out, a few by hand, is not taken for one', async () => {
    const byDefault = await nodeOn(stores, { timings });
    for (let tries = 0; tries < 6; tries += 1) {
      const made = await byDefault.service.sessions.createClientSession(
        { orderId: 'o-1', currencyCode: 'EUR', amount: 1_000 },
        caller(),
      );
      if (made.kind === 'rejected') throw new Error(made.errorId);
      const session = checkout(ACCOUNT, made.id, world);
      const paymentMethodToken = done(
        await byDefault.service.instruments.tokenizeCard(card('4000009900001051'), session),
      ).id;
      const { status } = done(
        await byDefault.service.payments.authorizePayment(
          { clientToken: made.clientToken, paymentMethodToken },
          caller(),
        ),
      );
      expect(status).to.equal(202);
    }
    expect(byDefault.reported).to.deep.equal([]);
  });

  it('may be without tokenization: tokenizations that are not answered count as well', async () => {
    node = await open({ tokenize: () => Promise.reject(new Error('away')) });
    const made = await node.service.sessions.createClientSession(
      { orderId: 'o-1', currencyCode: 'EUR', amount: 1_000 },
      caller(),
    );
    if (made.kind === 'rejected') throw new Error(made.errorId);
    const answers: unknown[] = [];
    for (let tries = 0; tries < 4; tries += 1) {
      const answer = await node.service.instruments.tokenizeCard(card(), checkout(ACCOUNT, made.id, world));
      answers.push(answer.kind === 'rejected' ? [answer.errorId, answer.retryAfterSeconds] : answer.kind);
    }
    const away = ['ServiceUnavailable', 1];
    expect(answers).to.deep.equal([away, away, away, ['ServiceUnavailable', 10]]);
  });
});
