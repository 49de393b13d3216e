// An answer to a dispute whose outcome is unknown is settled by an operator: the processor is asked first, and an event
// holds the evidence.
import { expect } from 'chai';
import type { Caller } from '../../../src/commands/caller.ts';
import type { Resolution } from '../../../src/commands/payments/resolve-payment.ts';
import { known } from '../../support/answers.ts';
import { type DisputedPayment, disputedPayment } from '../../support/disputed-payment.ts';
import { memoryStores, merchant, nodeOn, type Stores, type TestNode } from '../../support/node.ts';
import { type Script, scripted } from '../../support/scripted-processor.ts';
import { type MovableWorld, movableWorld } from '../../support/test-world.ts';

const ACCOUNT = 'acc_1';
const SUPPORT = 'asked their support about 4242424242424242';

describe('an operator who knows the outcome of a response to a dispute', () => {
  let world: MovableWorld;
  let stores: Stores;
  let node: TestNode;
  let disputed: DisputedPayment;
  let isSilent: boolean;
  beforeEach(async () => {
    world = movableWorld();
    stores = await memoryStores(world);
    isSilent = true;
    // The answer arrives, and its call breaks off.
    const dispute: Script['dispute'] = async (request, call) => {
      await stores.sandbox.dispute(request, call);
      return { kind: 'unknown', detail: 'reset' };
    };
    const lookUpDispute: Script['lookUpDispute'] = async (question, call) =>
      isSilent ? { kind: 'unreachable', detail: 'away' } : stores.sandbox.lookUpDispute(question, call);
    node = await nodeOn(stores, { processor: scripted(stores.sandbox, { dispute, lookUpDispute }) });
    disputed = await disputedPayment(node.service, world, ACCOUNT);
  });
  const caller = (): Caller => merchant(ACCOUNT, world);
  const challenge = async (): Promise<void> => {
    const answer = await node.service.payments.submitEvidence(
      disputed.id,
      'dsp_1',
      { text: 'It was delivered.', submit: true },
      caller(),
    );
    expect(answer).to.include({ kind: 'completed', status: 202 });
  };
  const acceptance = async (): Promise<void> => {
    expect(await node.service.payments.acceptDispute(disputed.id, 'dsp_1', caller())).to.include({
      kind: 'completed',
      status: 202,
    });
  };
  const resolve = (resolution: Partial<Resolution> = {}) =>
    node.service.payments.resolvePayment(disputed.id, { as: 'succeeded', evidence: SUPPORT, ...resolution });
  const dispute = async () => known((await node.service.streams.payments.current(disputed.id)).state).disputes[0];
  const newest = async () => {
    const all = [];
    for await (const one of node.service.streams.payments.history(disputed.id, -1)) all.push(one);
    return all.at(-1);
  };

  for (const [what, ask, type, status] of [
    ['evidence', challenge, 'DisputeEvidenceSubmitted', 'CHALLENGED'],
    ['acceptance', acceptance, 'DisputeAccepted', 'ACCEPTED'],
  ] as const)
    it(`says that the ${what} arrived: the dispute is ${status}, and the event holds the source without a card number`, async () => {
      await ask();
      expect(await resolve()).to.deep.include({ kind: 'answer_resolved', isTold: false });
      expect((await dispute())?.status).to.equal(status);
      expect((await dispute())?.answer?.state).to.equal('succeeded');
      const last = await newest();
      expect(last?.event.type).to.equal(type);
      expect(last?.event.data).to.deep.include({
        evidence: { source: 'operator', detail: 'asked their support about 4242420000004242' },
      });
      expect(last?.metadata.actor.kind).to.equal('operator');
    });

  it('says that the evidence never arrived: the dispute is OPEN and can be answered again, and a success that is told late still counts', async () => {
    await challenge();
    await resolve({ as: 'failed' });
    expect(await dispute()).to.deep.include({ status: 'OPEN' });
    expect((await dispute())?.answer?.state).to.equal('not_found');
    isSilent = false;
    world.advance(8 * 86_400_000);
    await node.service.work.lookUpDisputes({ id: disputed.id, revision: 0, accountId: ACCOUNT }, 'test');
    expect((await dispute())?.status).to.equal('CHALLENGED');
  });

  it('is not believed against the word of the processor, which is asked first', async () => {
    await challenge();
    isSilent = false;
    expect(await resolve({ as: 'failed' })).to.deep.include({ kind: 'answer_resolved', isTold: true });
    expect(await dispute()).to.include({ status: 'CHALLENGED' });
    expect((await newest())?.event.data).to.deep.include({ submitted: true });
    expect((await newest())?.metadata.actor.kind, 'whose answer was asked about').to.equal('apiKey');
    expect(await resolve()).to.include({ kind: 'rejected', errorId: 'InvalidPaymentStatus' });
  });

  it('names an answer that is open, and no transaction of it', async () => {
    await challenge();
    const answerId = (await dispute())?.answer?.answerId ?? '';
    expect(await resolve({ transactionId: 'tx_1' })).to.include({ kind: 'rejected', errorId: 'InvalidPaymentStatus' });
    expect(await resolve({ attemptId: 'pay_x.1' }))
      .to.have.property('description')
      .that.includes(answerId);
    expect(await resolve({ attemptId: answerId })).to.include({ kind: 'answer_resolved', isTold: false });
  });
});
