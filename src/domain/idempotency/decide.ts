// What can be asked of an idempotency key; its stream owns which operation the key stands for.
import { accept, type Decision, reject } from '../decider.ts';
import type { Claim, IdempotencyEvent } from './events.ts';
import { heldClaim, type IdempotencyRecord } from './state.ts';

/** Claims a key that nothing holds. Held for the same request: nothing, the caller carries on for the holder. */
export const claimKey =
  (claim: Claim) =>
  (record: IdempotencyRecord): Decision<IdempotencyEvent> => {
    const held = heldClaim(record, claim.claimedAt);
    if (held === undefined) return accept({ type: 'IdempotencyClaimed', data: { ...claim } });
    return held.fingerprint === claim.fingerprint
      ? accept()
      : reject('IdempotencyKeyReused', 'This idempotency key was used for another request.', {
          recoverySuggestion: 'Use a new key for a new request.',
        });
  };

/** Frees the key after a refusal or a no-op; only the operation that holds it can. */
export const releaseKey =
  (operationId: string) =>
  (record: IdempotencyRecord): Decision<IdempotencyEvent> =>
    record.status === 'claimed' && record.claim.operationId === operationId
      ? accept({ type: 'IdempotencyReleased', data: { operationId } })
      : accept();
