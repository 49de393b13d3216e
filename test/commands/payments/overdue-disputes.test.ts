// A dispute whose response period is over: the processor is asked about it, and our own clock ends it only if nobody
// can report the result.
import { expect } from 'chai';
import { recordDispute } from '../../../src/domain/payment/dispute-word.ts';
import type { Evidence } from '../../../src/domain/payment/outcome.ts';
import { operatorContext } from '../../../src/journal/contexts.ts';
import type { DisputeFound } from '../../../src/processors/processor.ts';
import { type AttendedDispute, attendedDispute } from '../../support/attended-dispute.ts';
import { callOf } from '../../support/call-of.ts';
import { DISPUTED_MONEY, type DisputedPayment, TO_ANSWER_MS } from '../../support/disputed-payment.ts';
import { merchant, type Stores, type TestNode } from '../../support/node.ts';
import type { Script } from '../../support/scripted-processor.ts';
import type { MovableWorld } from '../../support/test-world.ts';

const ACCOUNT = 'acc_1';
const CONNECTION = { connectionId: 'sandbox', processor: 'sandbox', secrets: {} };

describe('a dispute whose time to answer is over', () => {
  let world: MovableWorld;
  let stores: Stores;
  let node: TestNode;
  let disputed: DisputedPayment;
  let attend: AttendedDispute['attend'];
  let dispute: AttendedDispute['dispute'];
  let told: AttendedDispute['told'];
  let events: AttendedDispute['events'];
  const open = async (lookUpDispute?: Script['lookUpDispute']): Promise<void> => {
    ({ world, stores, node, disputed, attend, dispute, told, events } = await attendedDispute(ACCOUNT, lookUpDispute));
    world.advance(TO_ANSWER_MS);
  };
  const says = (status: 'CHALLENGED' | 'EXPIRED' | 'WON' | 'LOST', occurredAt: number): Promise<unknown> => {
    const evidence: Evidence = { source: 'notification', occurredAt };
    const word = recordDispute({ ...disputed, ...DISPUTED_MONEY, status, evidence });
    return node.service.payments.recordFact(disputed.id, operatorContext(world, ACCOUNT), () => word);
  };

  it('is EXPIRED as the processor reports when asked', async () => {
    await open();
    expect(await attend()).to.equal(1);
    expect(await told()).to.deep.equal(['DisputeExpired/lookup']);
    expect(await dispute())
      .to.include({ status: 'EXPIRED' })
      .and.not.have.property('endedBy');
    await says('CHALLENGED', disputed.openedAt + 1);
    expect(await dispute()).to.include({ status: 'EXPIRED' });
    expect(await attend()).to.equal(0);
  });

  it('is what the merchant did elsewhere in time, although no notification has told of it', async () => {
    await open();
    world.advance(-1_000);
    const answer = {
      ...DISPUTED_MONEY,
      disputeId: disputed.processorDisputeId,
      accountId: ACCOUNT,
      reference: 'elsewhere',
    };
    const { disputeId, accountId, reference } = answer;
    await stores.sandbox.dispute(
      { disputeId, accountId, reference, answer: { evidence: { text: 'by post' }, submit: true } },
      { ...callOf(), connection: CONNECTION },
    );
    world.advance(1_000);
    await attend();
    expect(await told()).to.deep.equal(['DisputeEvidenceSubmitted/lookup']);
    expect(await dispute()).to.include({ status: 'CHALLENGED' });
  });

  const unreachable: DisputeFound = { kind: 'unreachable', detail: 'reset by 4242424242424242' };
  it('stays OPEN while the processor cannot be reached, is asked again by the schedule, and can no longer be answered', async () => {
    let found: DisputeFound | undefined = unreachable;
    await open(async (question, call) => found ?? stores.sandbox.lookUpDispute(question, call));
    expect([await attend(), await attend()]).to.deep.equal([1, 0]);
    expect((await dispute()).nextLookUpAt).to.equal(disputed.openedAt + TO_ANSWER_MS + 30_000);
    world.advance(30_000);
    await attend();
    expect((await dispute()).nextLookUpAt).to.equal(disputed.openedAt + TO_ANSWER_MS + 300_000);
    const answer = await node.service.payments.acceptDispute(disputed.id, disputed.disputeId, merchant(ACCOUNT, world));
    expect(answer).to.include({ kind: 'rejected', errorId: 'InvalidDisputeStatus' });
    found = undefined;
    world.advance(300_000);
    await attend();
    expect(await told()).to.deep.equal([
      'DisputeLookUpRecorded/lookup',
      'DisputeLookUpRecorded/lookup',
      'DisputeExpired/lookup',
    ]);
    const log = JSON.stringify(await events());
    expect(log).to.include('reset by 424242').and.not.include('4242424242424242');
  });

  it('stays OPEN while the processor has it open', async () => {
    await open(async () => ({
      kind: 'found',
      dispute: { id: disputed.processorDisputeId, status: 'OPEN', ...DISPUTED_MONEY },
    }));
    await attend();
    expect(await told()).to.deep.equal(['DisputeLookUpRecorded/lookup']);
    expect(await dispute()).to.include({ status: 'OPEN', lookUps: 1 });
  });

  for (const [what, lookUpDispute] of [
    ['shows no disputes', 'none'],
    ['does not know the dispute', async (): Promise<DisputeFound> => ({ kind: 'not_found' })],
  ] as const) {
    it(`is EXPIRED by our own clock where the processor ${what}, until the processor says otherwise`, async () => {
      await open(lookUpDispute);
      await attend();
      expect(await told()).to.deep.equal(['DisputeExpired/clock']);
      expect(await dispute()).to.include({ status: 'EXPIRED', endedBy: 'clock' });
      await says('CHALLENGED', disputed.openedAt + 1);
      expect(await dispute())
        .to.include({ status: 'CHALLENGED' })
        .and.not.have.property('endedBy');
      // it is asked about as any challenge is, and no clock ends it
      expect([await attend(), await attend()]).to.deep.equal([1, 0]);
      expect(await dispute()).to.include({ status: 'CHALLENGED' });
      await says('WON', world.now());
      expect(await dispute()).to.include({ status: 'WON' });
    });
  }

  it('is EXPIRED for good when the processor says so after our own clock', async () => {
    await open('none');
    await attend();
    await says('EXPIRED', disputed.openedAt + TO_ANSWER_MS);
    await says('CHALLENGED', disputed.openedAt + 1);
    expect(await told()).to.deep.equal(['DisputeExpired/clock', 'DisputeExpired/notification']);
    expect(await dispute()).to.include({ status: 'EXPIRED', endedBy: 'notification' });
    expect(node.reported).to.deep.equal([]);
  });
});
