// What can be asked of an idempotency key; its stream owns which operation the key stands for.
import { accept, type Decision, reject } from '../decider.ts';
import type { Claim, IdempotencyEvent } from './events.ts';
import { heldClaim, type IdempotencyRecord, KEPT_MS } from './state.ts';

/**
 * Claims a key that nothing holds. Held for the same request: nothing, the caller carries on for the holder. Released by the
 * same request: claimed again under its first operation, so that an effect which that has after all is found.
 */
export const claimKey =
  (claim: Claim) =>
  (record: IdempotencyRecord): Decision<IdempotencyEvent> => {
    const held = heldClaim(record, claim.claimedAt);
    if (held === undefined) return accept({ type: 'IdempotencyClaimed', data: { ...claim, ...firstOperation(record, claim) } });
    return held.fingerprint === claim.fingerprint
      ? accept()
      : reject('IdempotencyKeyReused', 'This idempotency key was used for another request.', {
          recoverySuggestion: 'Use a new key for a new request.',
        });
  };

function firstOperation(record: IdempotencyRecord, { fingerprint, claimedAt }: Claim): Partial<Claim> {
  const { released } = record.status === 'free' ? record : {};
  if (released === undefined || released.fingerprint !== fingerprint || claimedAt - released.claimedAt >= KEPT_MS) return {};
  const { operationId, resourceId, targetStream, targetRevision } = released;
  return { operationId, resourceId, targetStream, targetRevision };
}

/**
 * Frees the key after a refusal or a no-op; only the operation that holds it can. `abandoned`: it can never have an effect,
 * so that the same request begins a new one.
 */
export const releaseKey =
  (operationId: string, abandoned = false) =>
  (record: IdempotencyRecord): Decision<IdempotencyEvent> =>
    record.status === 'claimed' && record.claim.operationId === operationId
      ? accept({ type: 'IdempotencyReleased', data: { operationId, ...(abandoned && { abandoned }) } })
      : accept();
