// Every call to a processor leaves what was sent, what came back and what is known by it, and no card number.
import { expect } from 'chai';
import { withoutCardNumbers } from '../../../src/commands/attempts/call-evidence.ts';
import type { PaymentEvent } from '../../../src/domain/payment/state.ts';
import type { LookUp, Outcome } from '../../../src/processors/processor.ts';
import { done, known } from '../../support/answers.ts';
import { card, checkout, lookUpDue, memoryStores, merchant, nodeOn, type Stores, type TestNode } from '../../support/node.ts';
import { type Script, scripted } from '../../support/scripted-processor.ts';
import { type MovableWorld, movableWorld } from '../../support/test-world.ts';

const ACCOUNT = 'acc_1';
const CARD = '4242424242424242';
const MASKED = '4242420000004242';
const timings = { sendWithinMs: 1_000, answerWithinMs: 40, abandonAfterMs: 60_000 };

describe('the evidence of a call', () => {
  let world: MovableWorld;
  let stores: Stores;
  beforeEach(async () => {
    world = movableWorld();
    stores = await memoryStores(world);
  });
  const open = (script: Script = {}): Promise<TestNode> => nodeOn(stores, { timings, processor: scripted(stores.sandbox, script) });
  const pay = async ({ service }: TestNode) => {
    const made = await service.createClientSession({ orderId: 'o-1', currencyCode: 'EUR', amount: 1_000 }, merchant(ACCOUNT, world));
    if (made.kind === 'rejected') throw new Error(made.errorId);
    const paymentMethodToken = done(await service.tokenizeCard(card(), checkout(ACCOUNT, made.id, world))).id;
    return done(await service.authorizePayment({ clientToken: made.clientToken, paymentMethodToken }, merchant(ACCOUNT, world)));
  };
  const resolve = lookUpDue;
  const eventsOf = async ({ service }: TestNode, id: string): Promise<readonly PaymentEvent[]> => {
    const events: PaymentEvent[] = [];
    for await (const { event } of service.house.payments.history(id, -1)) events.push(event);
    return events;
  };
  /** The evidence in the last event of a type. */
  const evidenceIn = async (node: TestNode, id: string, type: PaymentEvent['type']) => {
    const last = (await eventsOf(node, id)).findLast((event) => event.type === type);
    if (last === undefined || !('evidence' in last.data) || last.data.evidence === undefined) throw new Error(`no evidence in ${type}`);
    return last.data.evidence;
  };

  it('says what was sent, but nothing of the card, what came back, and what is known', async () => {
    const node = await open();
    const { id, doc } = await pay(node);
    const [attempt] = known(doc).attempts;
    const { sentAt = 0, received, ...evidence } = await evidenceIn(node, id, 'AttemptSucceeded');
    expect(evidence).to.deep.equal({
      source: 'answer',
      sent: { operation: 'authorization', reference: attempt?.attemptId, amount: 1_000, currencyCode: 'EUR' },
      detail: 'The processor says that it was done: 10.00 EUR.',
    });
    expect(received).to.deep.include({ kind: 'succeeded', processorTransactionId: known(doc).processorTransactionId, amount: 1_000 });
    expect(world.now() - sentAt).to.be.within(0, 10_000);
    done(await node.service.capturePayment(id, { amount: 400, final: false }, merchant(ACCOUNT, world)));
    const { sent } = await evidenceIn(node, id, 'AttemptSucceeded');
    const { processorTransactionId } = known(doc);
    expect(sent).to.deep.include({ operation: 'capture', amount: 400, final: false, processorTransactionId });
    const told = JSON.stringify(await eventsOf(node, id));
    expect(told.split(known(doc).processorToken)).to.have.length(2); // it is in PaymentCreated alone
  });

  it('is there for every grade', async () => {
    const grades: readonly [PaymentEvent['type'], Outcome, string][] = [
      ['AttemptDeclined', { kind: 'declined', code: 'GENERIC_DECLINE', declineType: 'HARD' }, 'The processor says that it was refused.'],
      ['AttemptPending', { kind: 'pending', processorTransactionId: 'tx' }, 'The processor has accepted it and tells later.'],
      [
        'AttemptPending',
        { kind: 'requires_action', processorTransactionId: 'tx', action: { kind: 'redirect', url: 'https://acs.example' } },
        'The processor waits for the customer.',
      ],
      ['AttemptNotSent', { kind: 'not_sent', detail: 'refused' }, 'It never reached the processor: refused.'],
      ['AttemptUnknown', { kind: 'unknown', detail: 'reset' }, 'What became of it is not known: reset.'],
    ];
    for (const [type, outcome, detail] of grades) {
      const node = await open({ perform: async () => outcome });
      const { id } = await pay(node);
      const evidence = await evidenceIn(node, id, type);
      expect(evidence).to.deep.include({ source: 'answer', received: outcome, detail });
      expect(evidence.sent).to.include({ operation: 'authorization', amount: 1_000 });
    }
  });

  it('of a call that was never made has nothing that was sent', async () => {
    const node = await open();
    const { house } = node.service;
    const { append } = house.payments;
    house.payments.append = async (...args) => {
      const written = await append.apply(house.payments, args);
      if (args[2].some(({ type }) => type === 'AuthorizationRequested')) world.pass(timings.sendWithinMs + 1);
      return written;
    };
    const { id } = await pay(node);
    const evidence = await evidenceIn(node, id, 'AttemptNotSent');
    expect(evidence).to.not.have.any.keys('sent', 'sentAt');
    expect(evidence).to.include({ detail: 'It never reached the processor: the time to send it had passed.' });
  });

  it('of a look-up is on record whether it settles something or nothing', async () => {
    let answer: LookUp = { kind: 'unreachable', detail: `it said ${CARD}` };
    const node = await open({ perform: async () => ({ kind: 'unknown', detail: 'reset' }), lookUp: () => answer });
    const { id, doc } = await pay(node);
    const sent = { operation: 'look_up', reference: known(doc).attempts[0]?.attemptId };
    world.pass(31_000);
    await resolve(node);
    expect(await evidenceIn(node, id, 'LookUpScheduled')).to.deep.include({
      source: 'lookup',
      sent,
      received: { kind: 'unreachable', detail: `it said ${MASKED}` },
      detail: `The processor did not answer the look-up: it said ${MASKED}.`,
    });
    answer = { kind: 'not_found' };
    world.pass(300_000);
    await resolve(node);
    expect(await evidenceIn(node, id, 'AttemptNotFound')).to.deep.include({ source: 'lookup', sent, received: answer });
  });

  it('holds no card number, whatever the processor answers, nor does anything else', async () => {
    const outcomes: readonly Outcome[] = [
      { kind: 'declined', code: `card ${CARD} is lost`, declineType: 'HARD', processorTransactionId: CARD },
      {
        kind: 'succeeded',
        processorTransactionId: CARD,
        amount: 1_000,
        currencyCode: '4242 4242 4242 4242',
      },
      { kind: 'pending', processorTransactionId: `tx ${CARD}` },
      { kind: 'unknown', detail: `"${CARD}"` },
      { kind: 'not_sent', detail: `refused\n${CARD}` },
    ];
    for (const outcome of outcomes) {
      const node = await open({ perform: async () => outcome });
      const { id } = await pay(node);
      const told = JSON.stringify(await eventsOf(node, id));
      expect(told).to.not.match(/4242 ?4242 ?4242 ?4242/);
      expect(told).to.match(/424242 ?0000 ?004242|4242 4200 0000 4242/);
    }
  });

  it('loses nothing else of an outcome that holds a card number', () => {
    const outcome: Outcome = {
      kind: 'succeeded',
      processorTransactionId: CARD,
      amount: 1_000,
      currencyCode: 'EUR',
      authorization: { cvcResult: 'MATCH', holdExpiresAt: 1_800_000_000_000 },
    };
    expect(withoutCardNumbers(outcome)).to.deep.equal({ ...outcome, processorTransactionId: MASKED });
  });

  it('leaves an ordinary outcome as it is', () => {
    const outcome: Outcome = {
      kind: 'succeeded',
      processorTransactionId: 'sbx_auth_424242424242424242424242',
      amount: 1_000,
      currencyCode: 'EUR',
    };
    expect(withoutCardNumbers(outcome)).to.equal(outcome);
    const large: Outcome = { ...outcome, amount: 4_242_424_242_424_242 };
    expect(withoutCardNumbers(large)).to.deep.equal(large);
  });
});
