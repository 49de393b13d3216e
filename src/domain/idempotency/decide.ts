// Decisions on an idempotency key, and how long it is kept; its stream owns the operation that the key stands for.
import { accept, type Decision, reject } from '../decider.ts';
import type { Claim, IdempotencyEvent } from './events.ts';
import { heldClaim, type IdempotencyRecord } from './state.ts';

const DAY_MS = 86_400_000;
/** The days that the API promises (contract §6); a setting may make them more. */
const LEAST_KEPT_DAYS = 30;
/** The content of a claim on a key; the decider sets its end. */
type ClaimContent = Omit<Claim, 'expiresAt'>;

/**
 * Claims a key that nothing holds. Held for the same request: nothing, the caller carries on for the holder. Released
 * by the same request: claimed again under its first operation, so that an effect which that has after all is found.
 * `keptDays`: how long the key stands for its operation.
 */
export const claimKey =
  (claim: ClaimContent, keptDays: number = LEAST_KEPT_DAYS) =>
  (record: IdempotencyRecord): Decision<IdempotencyEvent> => {
    const held = heldClaim(record, claim.claimedAt);
    if (held === undefined)
      return accept({
        type: 'IdempotencyClaimed',
        data: { ...claim, ...firstOperation(record, claim), expiresAt: claim.claimedAt + keptDays * DAY_MS },
      });
    return held.fingerprint === claim.fingerprint
      ? accept()
      : reject('IdempotencyKeyReused', 'This idempotency key was used for another request.', {
          recoverySuggestion: 'Use a new key for a new request.',
        });
  };

function firstOperation(record: IdempotencyRecord, { fingerprint, claimedAt }: ClaimContent): Partial<ClaimContent> {
  const { released } = record.status === 'free' ? record : {};
  if (released === undefined || released.fingerprint !== fingerprint || claimedAt >= released.expiresAt) return {};
  const { operationId, resourceId, targetRevision } = released;
  return { operationId, resourceId, targetRevision };
}

/**
 * Frees the key after a refusal or a no-op; only the operation that holds it can. `abandoned`: it can never have an
 * effect, so that the same request begins a new one.
 */
export const releaseKey =
  (operationId: string, abandoned = false) =>
  (record: IdempotencyRecord): Decision<IdempotencyEvent> =>
    record.status === 'claimed' && record.claim.operationId === operationId
      ? accept({ type: 'IdempotencyReleased', data: { operationId, ...(abandoned && { abandoned }) } })
      : accept();
