// The answer to a customer who came back from an action: 202 until it is known what the processor made of it
// (contract §4).
import { expect } from 'chai';
import { waitingAuthorization } from '../../../src/domain/payment/authentication.ts';
import type { LookUp } from '../../../src/domain/payment/outcome.ts';
import { Gate } from '../../crash/hooked-stores.ts';
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
const PENDING = '4000009900001036';
const CHALLENGED = '4000000000003220';
const IS_PENDING: LookUp = { kind: 'pending', processorTransactionId: 'tx' };
const UNREACHABLE: LookUp = { kind: 'unreachable', detail: 'reset' };

describe('a payment whose customer comes back', () => {
  let world: MovableWorld;
  let stores: Stores;
  beforeEach(async () => {
    world = movableWorld();
    stores = await memoryStores(world);
  });
  const caller = (key?: string) => merchant(ACCOUNT, world, key);
  const nodeWith = (script: Script): Promise<TestNode> =>
    nodeOn(stores, { processor: scripted(stores.sandbox, script) });
  const paid = async ({ service }: TestNode, number: string) => {
    const session = await service.sessions.createClientSession(
      { orderId: 'o-1', currencyCode: 'EUR', amount: 1_000 },
      caller(),
    );
    if (session.kind === 'rejected') throw new Error(session.errorId);
    const { id: paymentMethodToken } = done(
      await service.instruments.tokenizeCard(card(number), checkout(ACCOUNT, session.id, world)),
    );
    return done(
      await service.payments.authorizePayment({ clientToken: session.clientToken, paymentMethodToken }, caller()),
    );
  };
  /** Approves the challenge; answers the token to come back with. */
  const approve = async ({ service }: TestNode, id: string): Promise<string> => {
    const action = waitingAuthorization((await service.streams.payments.current(id)).state)?.action;
    const challengeId = action?.kind === 'redirect' ? (action.url.split('/').at(-1) ?? '') : '';
    await stores.sandbox.answerChallenge(challengeId, true);
    const { returnUrl = '' } = (await stores.sandbox.challenge(challengeId)) ?? {};
    return new URL(returnUrl).searchParams.get('resumeToken') ?? '';
  };

  it('is answered with 202 while the processor works on it, and one whose customer had nothing to do with 200', async () => {
    const node = await nodeWith({ lookUp: () => IS_PENDING });
    const { id } = await paid(node, CHALLENGED);
    const resumeToken = await approve(node, id);
    const resumed = done(await node.service.payments.resumePayment(id, { resumeToken }, caller()));
    expect([resumed.status, known(resumed.doc).attempts[0]?.state]).to.deep.equal([202, 'pending']);
    const { status, doc } = await paid(node, PENDING);
    expect([status, known(doc).attempts[0]?.state]).to.deep.equal([200, 'pending']);
  });

  it('is resumed at a processor that waits for a word of ours, and looked up at no other', async () => {
    const asked: string[] = [];
    const processor = scripted(stores.sandbox, { lookUp: () => void asked.push('look-up') });
    const waiting = await nodeOn(stores, {
      processor: {
        ...processor,
        resume: async (request) => {
          asked.push('resume');
          const { amount = 0, currencyCode = '' } = 'amount' in request ? request : {};
          return { kind: 'succeeded', processorTransactionId: 'tx', amount, currencyCode };
        },
      },
    });
    for (const node of [waiting, await nodeOn(stores, { processor })]) {
      const { id } = await paid(node, CHALLENGED);
      const resumeToken = await approve(node, id);
      const { status, doc } = done(await node.service.payments.resumePayment(id, { resumeToken }, caller()));
      expect([status, known(doc).status]).to.deep.equal([200, 'AUTHORIZED']);
    }
    expect(asked).to.deep.equal(['resume', 'look-up']);
  });

  it('is in progress for the repeated call, even if its first response was lost and a look-up found nothing', async () => {
    let found: LookUp | undefined = UNREACHABLE;
    const node = await nodeWith({
      perform: async (request, call) => {
        await stores.sandbox.perform(request, call);
        return { kind: 'unknown', detail: 'reset' };
      },
      lookUp: () => found,
      fence: 'none', // it would end the action
    });
    const { id } = await paid(node, CHALLENGED);
    for (const [ms, next] of [
      [31_000, UNREACHABLE],
      [300_000, undefined],
    ] as const) {
      found = next;
      world.advance(ms);
      expect(await lookUpDue(node)).to.equal(1);
    }
    const resumeToken = await approve(node, id);
    const gate = new Gate();
    const goingOn = await nodeWith({
      lookUp: async (...args) => {
        await gate.pass();
        return stores.sandbox.lookUp(...args);
      },
    });
    const resume = ({ service }: TestNode) => service.payments.resumePayment(id, { resumeToken }, caller('back'));
    const resumed = resume(goingOn);
    await gate.reached;
    expect(await resume(node)).to.include({ kind: 'rejected', errorId: 'IdempotencyKeyInProgress' });
    gate.open();
    const first = done(await resumed);
    expect([first.status, known(first.doc).status]).to.deep.equal([200, 'AUTHORIZED']);
    expect(done(await resume(node))).to.include({ status: 200, replayed: true });
  });
});
