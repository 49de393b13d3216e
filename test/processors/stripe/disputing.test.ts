// The adapter's terms for Stripe's disputes: every status that the pinned version names, rounds, preventions, appeals.
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { DisputeNotice } from '../../../src/processors/processor.ts';
import { STATUSES } from '../../../src/processors/stripe/disputing.ts';
import { newReference, openTwinShop, type TwinShop } from './twin-shop.ts';

describe('a dispute at Stripe', () => {
  let shop: TwinShop;
  before(async () => {
    shop = await openTwinShop();
  });
  after(() => shop.close());

  const disputed = async (wish: Parameters<(typeof shop.twin.accounts)[0]['openDispute']>[1] = {}): Promise<string> => {
    const { processorTransactionId = '' } = await shop.captured();
    return shop.twin.accounts[0].openDispute(processorTransactionId, wish).id;
  };
  const read = async (disputeId: string): Promise<DisputeNotice | undefined> => {
    const found = await shop.stripe.lookUpDispute?.({ disputeId, accountId: 'acc_1' }, shop.call());
    return found?.kind === 'found' ? found.dispute : undefined;
  };
  const answer = (disputeId: string, type?: 'APPEAL') =>
    shop.stripe.dispute?.(
      {
        disputeId,
        accountId: 'acc_1',
        reference: newReference(),
        ...(type !== undefined && { type }),
        answer: { evidence: { text: 'It came.', shippingTrackingNumber: 'T1' }, submit: true },
      },
      shop.call(),
    );

  it('has terms for each status of the pinned version', () => {
    const types = readFileSync('node_modules/stripe/cjs/resources/Disputes.d.ts', 'utf8');
    const [, listed = ''] = /type Status = (.*) \| OtherString;/.exec(types) ?? [];
    const named = [...listed.matchAll(/'(\w+)'/g)].map(([, status]) => status);
    expect(named).to.have.length.above(9);
    expect(Object.keys(STATUSES)).to.have.members(named);
  });

  it('is in the round that its status names, and in none where it is decided', async () => {
    const inquiry = await disputed({ isInquiry: true });
    expect(await read(inquiry)).to.include({ status: 'OPEN', type: 'RETRIEVAL' });
    shop.twin.accounts[0].reopenDispute(inquiry, 'needs_response');
    expect(await read(inquiry)).to.include({ status: 'OPEN', type: 'DISPUTE' });
    shop.twin.accounts[0].decideDispute(inquiry, 'lost');
    expect(await read(inquiry))
      .to.include({ status: 'LOST' })
      .and.not.to.have.property('type');
    shop.twin.accounts[0].reopenDispute(inquiry, 'appeal_needs_response');
    expect(await read(inquiry)).to.include({ status: 'OPEN', type: 'APPEAL' });
  });

  it('that was prevented says what was refunded, by which refunds; a block refunds nothing', async () => {
    const resolved = await disputed({ amount: 400, prevented: 'resolution' });
    const notice = await read(resolved);
    expect(notice).to.have.property('status', 'PREVENTED');
    expect(notice?.refunded?.amount).to.equal(400);
    expect(notice?.refunded?.refunds).to.have.length(1);
    expect(notice?.refunded?.refunds[0]).to.match(/^re_/);
    expect(await read(await disputed({ prevented: 'block' }))).to.deep.include({
      status: 'PREVENTED',
      refunded: { amount: 0, refunds: [] },
    });
  });

  it('takes the one text of an appeal, with the rest of the evidence in it', async () => {
    const disputeId = await disputed();
    shop.twin.accounts[0].decideDispute(disputeId, 'lost');
    shop.twin.accounts[0].reopenDispute(disputeId, 'appeal_needs_response');
    expect(await answer(disputeId, 'APPEAL')).to.include({ kind: 'succeeded' });
    expect(await read(disputeId)).to.include({ status: 'CHALLENGED', type: 'APPEAL' });
    expect(decodeURIComponent(shop.heard.at(-2)?.body ?? '').replaceAll('+', ' ')).to.include(
      'evidence[appeal][card][reason_for_filing]=It came.\nshipping_tracking_number: T1',
    );
  });

  it('shows the answer by a review of that round or by its decision, never by another status', async () => {
    const outcomes = Object.fromEntries(
      await Promise.all(
        [...Object.keys(STATUSES), 'unheard_of'].map(async (status) => {
          const disputeId = await disputed();
          shop.twin.fault(
            { method: 'POST', path: `/v1/disputes/${disputeId}` },
            { kind: 'altered', members: { status } },
          );
          return [status, (await answer(disputeId))?.kind] as const;
        }),
      ),
    );
    const shown = Object.keys(outcomes).filter((status) => outcomes[status] === 'succeeded');
    expect(shown).to.have.members(['under_review', 'won', 'lost']);
  });
});
