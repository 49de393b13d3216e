// The evidence of every call to a processor on record, and no card number in it.
import { expect } from 'chai';
import { withoutCardNumbers } from '../../../src/commands/payments/processor-call.ts';
import type { PaymentEvent } from '../../../src/domain/payment/events.ts';
import type { LookUp, Outcome } from '../../../src/domain/payment/outcome.ts';
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
  const open = (script: Script = {}): Promise<TestNode> =>
    nodeOn(stores, { timings, processor: scripted(stores.sandbox, script) });
  const pay = async ({ service }: TestNode) => {
    const made = await service.sessions.createClientSession(
      { orderId: 'o-1', currencyCode: 'EUR', amount: 1_000 },
      merchant(ACCOUNT, world),
    );
    if (made.kind === 'rejected') throw new Error(made.errorId);
    const paymentMethodToken = done(
      await service.instruments.tokenizeCard(card(), checkout(ACCOUNT, made.id, world)),
    ).id;
    return done(
      await service.payments.authorizePayment(
        { clientToken: made.clientToken, paymentMethodToken },
        merchant(ACCOUNT, world),
      ),
    );
  };
  const resolve = lookUpDue;
  const eventsOf = async ({ service }: TestNode, id: string): Promise<readonly PaymentEvent[]> => {
    const events: PaymentEvent[] = [];
    for await (const { event } of service.streams.payments.history(id, -1)) events.push(event);
    return events;
  };
  /** The evidence in the last event of a type. */
  const evidenceIn = async (node: TestNode, id: string, type: PaymentEvent['type']) => {
    const last = (await eventsOf(node, id)).findLast((event) => event.type === type);
    if (
      last === undefined ||
      !('evidence' in last.data) ||
      last.data.evidence === undefined ||
      last.data.evidence.source === 'clock'
    )
      throw new Error(`no evidence in ${type}`);
    return last.data.evidence;
  };

  it('has the time of the call; the request has its members, and no other event holds card data', async () => {
    const node = await open();
    const { id, doc } = await pay(node);
    const [attempt] = known(doc).attempts;
    const { sentAt = 0, ...evidence } = await evidenceIn(node, id, 'PaymentAuthorized');
    expect(evidence).to.deep.equal({ source: 'answer' });
    expect(world.now() - sentAt).to.be.within(0, 10_000);
    const told = JSON.stringify(await eventsOf(node, id));
    expect(told.split(attempt?.processorToken ?? '')).to.have.length(2); // it is in AuthorizationRequested alone
  });

  it('is on record for every grade, with the fault of the network', async () => {
    const grades: readonly [PaymentEvent['type'], Outcome, string | undefined][] = [
      ['AuthorizationDeclined', { kind: 'declined', code: 'GENERIC_DECLINE', declineType: 'HARD' }, undefined],
      ['AuthorizationPending', { kind: 'pending', processorTransactionId: 'tx' }, undefined],
      [
        'CustomerActionRequired',
        {
          kind: 'requires_action',
          processorTransactionId: 'tx',
          action: { kind: 'redirect', url: 'https://acs.example' },
        },
        undefined,
      ],
      ['AuthorizationNotSent', { kind: 'not_sent', detail: 'refused' }, 'refused'],
      ['AuthorizationOutcomeUnknown', { kind: 'unknown', detail: 'reset' }, 'reset'],
    ];
    for (const [type, outcome, detail] of grades) {
      const node = await open({ perform: async () => outcome });
      const { id } = await pay(node);
      const evidence = await evidenceIn(node, id, type);
      expect([evidence.source, evidence.detail]).to.deep.equal(['answer', detail]);
    }
  });

  it('of a call that was never made has no time at which it was sent', async () => {
    const node = await open();
    const { streams } = node.service;
    const { appendAll } = streams.payments;
    streams.payments.appendAll = async (prepared) => {
      const appended = await appendAll.call(streams.payments, prepared);
      world.pass(timings.sendWithinMs + 1);
      return appended;
    };
    const { id } = await pay(node);
    const evidence = await evidenceIn(node, id, 'AuthorizationNotSent');
    expect(evidence).to.deep.equal({ source: 'answer', detail: 'the time to send it had passed' });
  });

  it('of a look-up is on record whether or not it settles the attempt', async () => {
    let answer: LookUp = { kind: 'unreachable', detail: `it said ${CARD}` };
    const node = await open({ perform: async () => ({ kind: 'unknown', detail: 'reset' }), lookUp: () => answer });
    const { id } = await pay(node);
    world.pass(31_000);
    await resolve(node);
    expect(await evidenceIn(node, id, 'LookUpRecorded')).to.deep.include({
      source: 'lookup',
      detail: `it said ${MASKED}`,
    });
    answer = { kind: 'not_found' };
    world.pass(300_000);
    await resolve(node);
    expect(await evidenceIn(node, id, 'AuthorizationNotFound'))
      .to.include({ source: 'lookup' })
      .and.have.property('sentAt');
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

  it('keeps all other members of an outcome that holds a card number', () => {
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
