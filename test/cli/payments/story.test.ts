// The words of `payments show` for each event: its operation, its amount, and its meaning or its actor.
import { expect } from 'chai';
import { storyTable } from '../../../src/cli/admin/payments-show.ts';
import type { PaymentEvent } from '../../../src/domain/payment/events.ts';
import {
  AT,
  answeredWrongly,
  authorizationRequested,
  captureRequested,
  created,
  holdExpired,
  lookedUp,
  refundRequested,
  wasNotFound,
  wentThrough,
} from '../../domain/payment/story.ts';

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
  const recorded = events.map((event, revision) => ({
    event,
    recorded: { id: `e-${revision}`, revision, at: AT },
    metadata,
  }));
  const [, ...rows] = storyTable(recorded, 'EUR', 200).split('\n');
  return rows.map((row) => row.split(/ {2,}/).slice(1).join(' | '));
}

describe('the story of a payment', () => {
  it('names the actor where there is no other evidence, and the reason where there is one', () => {
    const refund = refundRequested('r', 300, 'c');
    if (refund.type !== 'RefundRequested') throw new Error(refund.type);
    expect(
      told(
        created(),
        captureRequested('c', 400, false),
        { type: 'RefundRequested', data: { ...refund.data, reason: 'too small' } },
        holdExpired,
      ),
    ).to.deep.equal([
      'PaymentCreated | 10.00 EUR | by policy resolve-unknown-outcomes',
      'capture | CaptureRequested | 4.00 EUR | by policy resolve-unknown-outcomes',
      'refund | RefundRequested | 3.00 EUR | too small',
      'AuthorizationExpired | 10.00 EUR | notification',
    ]);
  });

  it('tells an answer in another currency in that currency, and why it is not believed', () => {
    expect(
      told(captureRequested('c', 400), answeredWrongly('c', 'capture', 400, 'USD'), wentThrough('c', 'capture', 400)),
    ).to.deep.equal([
      'capture | CaptureRequested | 4.00 EUR | by policy resolve-unknown-outcomes',
      'capture | MismatchRecorded | 4.00 USD | answer: The processor reports success: 4.00 USD. That differs from the request.',
      'capture | PaymentCaptured | 4.00 EUR | answer: The processor reports success: 4.00 EUR.',
    ]);
  });

  it('has the time of the next look-up after one that settled nothing', () => {
    expect(
      told(authorizationRequested, lookedUp('a', 'authorization', 'not_found', Date.UTC(2026, 0, 1))),
    ).to.deep.equal([
      'authorization | AuthorizationRequested | 10.00 EUR | by policy resolve-unknown-outcomes',
      'authorization | LookUpRecorded | lookup: The processor does not know the reference. The next look-up is 2026-01-01T00:00:00Z.',
    ]);
  });

  it('tells an operator as the operator wrote', () => {
    const event = wasNotFound('a', 'authorization');
    if (event.type !== 'AuthorizationNotFound') throw new Error(event.type);
    const evidence = { source: 'operator', detail: 'asked their support' } as const;
    expect(told(authorizationRequested, { ...event, data: { ...event.data, evidence } })[1]).to.equal(
      'authorization | AuthorizationNotFound | operator: asked their support',
    );
  });

  it('has the result of the wish to vault the card', () => {
    expect(
      told(
        { type: 'VaultingRecorded', data: { paymentMethodToken: 'pm_2' } },
        { type: 'VaultingRecorded', data: { refused: 'Conflict' } },
      ),
    ).to.deep.equal(['VaultingRecorded | vaulted as pm_2', 'VaultingRecorded | refused: Conflict']);
  });
});
