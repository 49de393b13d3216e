// What `payments show` tells of each event: its operation, its amount, and what is known by it or who did it.
import { expect } from 'chai';
import { storyTable } from '../../../src/cli/payments/story.ts';
import type { PaymentEvent } from '../../../src/domain/payment/state.ts';
import { AT, authorizationRequested, captureRequested, created, id, refundRequested, wentThrough } from '../../domain/payment/story.ts';

/** A line for each event, its cells after the date. */
function told(...events: readonly PaymentEvent[]): readonly string[] {
  const actor = { kind: 'policy', id: 'resolve-unknown-outcomes' } as const;
  const metadata = {
    accountId: 'acc_1',
    actor,
    recordedAt: AT,
    $correlationId: 'req',
    $causationId: 'req',
    operationId: 'op',
    schemaVersion: 1,
    previousHash: '',
  };
  const recorded = events.map((event, revision) => ({ event, recorded: { id: `e-${revision}`, revision, at: AT }, metadata }));
  const [, ...rows] = storyTable(recorded, 'EUR', 200).split('\n');
  return rows.map((row) => row.split(/ {2,}/).slice(1).join(' | '));
}

describe('the story of a payment', () => {
  it('names the actor where nothing else is known, and the reason where somebody gave one', () => {
    const refund = refundRequested('r', 300, 'c');
    if (refund.type !== 'RefundRequested') throw new Error(refund.type);
    expect(
      told(
        created(),
        captureRequested('c', 400, false),
        { type: 'RefundRequested', data: { ...refund.data, reason: 'too small' } },
        { type: 'AuthorizationExpired', data: { at: AT } },
      ),
    ).to.deep.equal([
      'PaymentCreated | 10.00 EUR | by policy resolve-unknown-outcomes',
      'capture | CaptureRequested | 4.00 EUR | by policy resolve-unknown-outcomes',
      'refund | RefundRequested | 3.00 EUR | too small',
      'AuthorizationExpired | by policy resolve-unknown-outcomes',
    ]);
  });

  it('tells an answer in another currency in that currency, and why it is not believed', () => {
    const learnt = {
      attemptId: id('c'),
      operation: 'capture',
      evidence: { source: 'notification', detail: 'it names USD' },
      at: AT,
    } as const;
    const answer = { processorTransactionId: 'tx_c', amount: 400, currencyCode: 'USD' };
    const reason = { type: 'APPLICATION_ERROR', message: 'Not what was asked for.' } as const;
    expect(
      told(
        captureRequested('c', 400),
        { type: 'AnswerMismatched', data: { ...learnt, ...answer, reason } },
        wentThrough('c', 'capture', 400),
      ),
    ).to.deep.equal([
      'capture | CaptureRequested | 4.00 EUR | by policy resolve-unknown-outcomes',
      'capture | AnswerMismatched | 4.00 USD | notification: it names USD. Not what was asked for.',
      'capture | AttemptSucceeded | 4.00 EUR | answer',
    ]);
  });

  it('tells of a look-up that settled nothing when the next one is, also of one from before its evidence was kept', () => {
    const lookUpAt = Date.UTC(2026, 0, 1);
    const scheduled = { attemptId: id('a'), at: AT, answer: 'not_found', lookUpAt } as const;
    const evidence = { source: 'lookup', detail: 'It is not found yet.' } as const;
    expect(
      told(
        authorizationRequested,
        { type: 'LookUpScheduled', data: scheduled },
        { type: 'LookUpScheduled', data: { ...scheduled, evidence } },
      ),
    ).to.deep.equal([
      'authorization | AuthorizationRequested | 10.00 EUR | by policy resolve-unknown-outcomes',
      'authorization | LookUpScheduled | lookup: not_found. It is asked again 2026-01-01T00:00:00Z.',
      'authorization | LookUpScheduled | lookup: It is not found yet. It is asked again 2026-01-01T00:00:00Z.',
    ]);
  });

  it('tells what became of the wish to vault the card', () => {
    expect(
      told({ type: 'VaultingRecorded', data: { paymentMethodToken: 'pm_2' } }, { type: 'VaultingRecorded', data: { refused: 'Conflict' } }),
    ).to.deep.equal(['VaultingRecorded | vaulted as pm_2', 'VaultingRecorded | refused: Conflict']);
  });
});
