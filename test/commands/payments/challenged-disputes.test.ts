// A challenged dispute whose WON or LOST is never told: the processor is asked, at growing intervals, until it says how
// the issuer decided.
import { expect } from 'chai';
import { defaultTimings } from '../../../src/commands/payment-timings.ts';
import { dueDisputeAt } from '../../../src/domain/payment/dispute-due.ts';
import type { DisputeFound } from '../../../src/processors/processor.ts';
import { everyDeath, Mortal } from '../../crash/mortal.ts';
import { known } from '../../support/answers.ts';
import { type AttendedDispute, attendedDispute, attendOn } from '../../support/attended-dispute.ts';
import { DISPUTED_MONEY, disputedPayment } from '../../support/disputed-payment.ts';
import { memoryStores, merchant, nodeOn } from '../../support/node.ts';
import { type Script, scripted } from '../../support/scripted-processor.ts';
import { movableWorld } from '../../support/test-world.ts';

const ACCOUNT = 'acc_1';
const DAY_MS = 86_400_000;
const SENT = ['DisputeEvidenceDrafted', 'DisputeAnswerRequested', 'DisputeEvidenceSubmitted/answer'];

describe('a challenged dispute whose decision is never told', () => {
  const challenge = async (text: string, lookUpDispute?: Script['lookUpDispute']): Promise<AttendedDispute> => {
    const it = await attendedDispute(ACCOUNT, lookUpDispute);
    const caller = merchant(ACCOUNT, it.world);
    const answer = await it.node.service.payments.submitEvidence(
      it.disputed.id,
      'dsp_1',
      { text, submit: true },
      caller,
    );
    expect(answer).to.include({ kind: 'completed', status: 200 });
    return it;
  };

  for (const [text, ends] of [
    ['We win.', 'WON'],
    ['We lose.', 'LOST'],
  ] as const)
    it(`is ${ends} a day later, as the processor reports when asked`, async () => {
      const { world, node, attend, dispute, told, disputed } = await challenge(text);
      world.advance(DAY_MS - 60_000);
      expect([await attend(), (await dispute()).status]).to.deep.equal([0, 'CHALLENGED']);
      world.advance(60_000);
      expect(await attend()).to.equal(1);
      expect(await told()).to.deep.equal([...SENT, `Dispute${ends === 'WON' ? 'Won' : 'Lost'}/lookup`]);
      expect((await dispute()).status).to.equal(ends);
      const { amountRefundable } = known((await node.service.streams.payments.current(disputed.id)).state);
      expect(amountRefundable).to.equal(ends === 'WON' ? DISPUTED_MONEY.amount : 0);
      world.advance(400 * DAY_MS);
      expect(await attend()).to.equal(0);
      expect(node.reported).to.deep.equal([]);
    });

  it('is asked about after 1 day, 2, 4, then each week, while the issuer takes months', async () => {
    const { world, attend, told } = await challenge('It was delivered.');
    const days: number[] = [];
    for (let day = 1; day <= 61; day += 1) {
      world.advance(DAY_MS);
      if ((await attend()) > 0) days.push(day);
    }
    expect(days).to.deep.equal([1, 3, 7, 14, 21, 28, 35, 42, 49, 56]);
    world.advance(2 * DAY_MS);
    expect([await attend(), await attend()]).to.deep.equal([1, 0]);
    const asked = days.map(() => 'DisputeLookUpRecorded/lookup');
    expect(await told()).to.deep.equal([...SENT, ...asked, 'DisputeLost/lookup']);
  });

  it('is asked about once after months in which no node ran, not once for each time that was missed', async () => {
    const { world, attend, told } = await challenge('It was delivered.');
    world.advance(40 * DAY_MS);
    expect([await attend(), await attend()]).to.deep.equal([1, 0]);
    expect(await told()).to.deep.equal([...SENT, 'DisputeLookUpRecorded/lookup']);
  });

  it('is asked about the next day where the processor did not answer, and no card number is kept of what it said', async () => {
    const { world, attend, dispute, events } = await challenge('We win.', async () => ({
      kind: 'unreachable',
      detail: 'reset by 4242424242424242',
    }));
    for (let day = 1; day <= 3; day += 1) {
      world.advance(DAY_MS);
      expect([await attend(), await attend()]).to.deep.equal([1, 0]);
    }
    expect(await dispute()).to.include({ status: 'CHALLENGED', lookUps: 3 });
    expect(JSON.stringify(await events()))
      .to.include('reset by 424242')
      .and.not.include('4242424242424242');
  });

  for (const [what, lookUpDispute] of [
    ['shows no disputes', 'none'],
    ['does not know the dispute', async (): Promise<DisputeFound> => ({ kind: 'not_found' })],
  ] as const)
    it(`stays CHALLENGED where the processor ${what}, and is asked about a month later`, async () => {
      const { world, attend, dispute, events } = await challenge('We win.', lookUpDispute);
      world.advance(DAY_MS);
      expect([await attend(), await attend()]).to.deep.equal([1, 0]);
      expect((await dispute()).status).to.equal('CHALLENGED');
      expect((await events()).at(-1)?.data).to.include({ answer: 'untold' });
      world.advance(30 * DAY_MS - 60_000);
      expect(await attend()).to.equal(0);
      world.advance(60_000);
      expect([await attend(), await attend()]).to.deep.equal([1, 0]);
    });

  it('is asked about at the last time on record where its challenge has none, as in the log of an older version', async () => {
    const { dispute } = await challenge('We win.');
    const { nextLookUpAt: _due, ...older } = await dispute();
    expect(dueDisputeAt(older)).to.equal(older.challengeRequiredBy);
    const { challengeRequiredBy: _named, ...unnamed } = older;
    expect(dueDisputeAt(unnamed)).to.equal(older.openedAt);
  });

  it('is looked up by two nodes at once and recorded once', async () => {
    let asked = 0;
    let isHere: () => void = () => undefined;
    const both = new Promise<void>((resolve) => {
      isHere = () => {
        asked += 1;
        if (asked === 2) resolve();
      };
    });
    // Neither is answered before both have asked.
    const lookUpDispute: Script['lookUpDispute'] = async () => {
      isHere();
      await both;
      return { kind: 'unreachable', detail: 'reset' };
    };
    const { world, stores, node, told } = await challenge('It was delivered.', lookUpDispute);
    const other = await nodeOn(stores, { processor: scripted(stores.sandbox, { lookUpDispute }) });
    world.advance(DAY_MS);
    await Promise.all([attendOn(node.service), attendOn(other.service)]);
    expect(asked).to.equal(2);
    expect(await told()).to.deep.equal([...SENT, 'DisputeLookUpRecorded/lookup']);
  });

  it('is decided by another process when one dies at any append of its look-up', async () => {
    const survives = async (dies: { readonly at: number; readonly when: 'before' | 'after' }): Promise<boolean> => {
      const world = movableWorld();
      const stores = await memoryStores(world);
      const mortal = new Mortal(stores);
      const first = await mortal.open(defaultTimings);
      const { id } = await disputedPayment(first, world, ACCOUNT);
      await first.payments.submitEvidence(id, 'dsp_1', { text: 'We win.', submit: true }, merchant(ACCOUNT, world));
      world.advance(DAY_MS);
      if (!(await mortal.diesOf(() => attendOn(first), dies))) return false;
      const { service, reported } = await nodeOn(stores);
      const over = new AbortController();
      const following = service.projections.run(over.signal);
      await attendOn(service);
      const { disputes, amountRefundable } = known((await service.streams.payments.current(id)).state);
      expect([disputes[0]?.status, amountRefundable]).to.deep.equal(['WON', DISPUTED_MONEY.amount]);
      over.abort();
      await following.catch(() => undefined);
      expect(reported).to.deep.equal([]);
      return true;
    };
    expect(await everyDeath(survives)).to.equal(2);
  });
});
