// Idempotency keys: who holds one, for what, and for how long (contract §6).
import { expect } from 'chai';
import {
  claimKey,
  heldClaim,
  type IdempotencyEvent,
  idempotency,
  releaseKey,
} from '../../../src/domain/idempotency.ts';
import { givenOf } from '../../support/given.ts';

const given = givenOf(idempotency);
const KEPT_MS = 30 * 86_400_000;
const claim = {
  fingerprint: 'one body',
  operationId: 'op_1',
  operation: 'authorize-payment',
  resourceId: 'pay_1',
  targetRevision: -1,
  claimedAt: 1_000,
};
/** As it is on record: with the end of its 30 days. */
const kept = (one: typeof claim) => ({ ...one, expiresAt: one.claimedAt + KEPT_MS });
const claimed: IdempotencyEvent = { type: 'IdempotencyClaimed', data: kept(claim) };
const released: IdempotencyEvent = { type: 'IdempotencyReleased', data: { operationId: 'op_1' } };
const other = { ...claim, operationId: 'op_2', claimedAt: 2_000 };
const otherClaimed: IdempotencyEvent = { type: 'IdempotencyClaimed', data: kept(other) };

describe('an idempotency key', () => {
  it('is claimed when it is fresh', () => given().when(claimKey(claim)).then(claimed));
  it('stays with its holder when the same request comes again', () =>
    given(claimed).when(claimKey(other)).thenNothing());
  it('is refused for another request', () =>
    given(claimed)
      .when(claimKey({ ...other, fingerprint: 'another body' }))
      .thenRejected('IdempotencyKeyReused'));
  it('is claimed again by the same request under its first operation, which another node may still be carrying on', () => {
    given(claimed, released)
      .when(claimKey(other))
      .then({ type: 'IdempotencyClaimed', data: kept({ ...claim, claimedAt: 2_000 }) });
    const late = { ...other, claimedAt: 1_000 + KEPT_MS };
    given(claimed, released)
      .when(claimKey(late))
      .then({ type: 'IdempotencyClaimed', data: kept(late) });
  });
  it('is claimed under a new operation after the first one was abandoned', () => {
    const abandoned: IdempotencyEvent = { type: 'IdempotencyReleased', data: { operationId: 'op_1', abandoned: true } };
    given(claimed).when(releaseKey('op_1', true)).then(abandoned);
    given(claimed, abandoned).when(claimKey(other)).then(otherClaimed);
  });
  it('is claimed again after it was released, for any request', () => {
    const another = { ...other, fingerprint: 'another body' };
    given(claimed, released)
      .when(claimKey(another))
      .then({ type: 'IdempotencyClaimed', data: kept(another) });
  });
  it('is kept for 30 days, and then claimed for any request under a new operation', () => {
    given(claimed)
      .when(claimKey({ ...other, claimedAt: 1_000 + KEPT_MS - 1 }))
      .thenNothing();
    const late = { ...other, fingerprint: 'another body', claimedAt: 1_000 + KEPT_MS };
    given(claimed)
      .when(claimKey(late))
      .then({ type: 'IdempotencyClaimed', data: kept(late) });
  });
  it('is released by its holder only, and once', () => {
    given(claimed).when(releaseKey('op_1')).then(released);
    given(claimed).when(releaseKey('op_2')).thenNothing();
    given(claimed, released).when(releaseKey('op_1')).thenNothing();
    given().when(releaseKey('op_1')).thenNothing();
  });
  it('is not freed by a late release of an operation that lost it', () =>
    expect(heldClaim(given(claimed, released, otherClaimed, released).state, 3_000)).to.deep.equal(kept(other)));
  it('is held by nobody when it is fresh, released or old', () => {
    expect(heldClaim(given().state, 1_000)).to.equal(undefined);
    expect(heldClaim(given(claimed, released).state, 1_000)).to.equal(undefined);
    expect(heldClaim(given(claimed).state, 1_000 + KEPT_MS)).to.equal(undefined);
    expect(heldClaim(given(claimed).state, 1_000 + KEPT_MS - 1)).to.deep.equal(kept(claim));
  });
});
