// An idempotency key as it stands, and whether anything still holds it.
import type { Decider } from '../decider.ts';
import { type Claim, type IdempotencyEvent, idempotencyCategory } from './events.ts';

/** `released`: what held it last, and may yet turn out to have an effect: another node may still be carrying it on. */
export type IdempotencyRecord =
  | { readonly status: 'free'; readonly released?: Claim }
  | { readonly status: 'claimed'; readonly claim: Claim };

export const idempotency: Decider<IdempotencyRecord, IdempotencyEvent> = {
  category: idempotencyCategory,
  initial: { status: 'free' },
  evolve(record, { type, data }) {
    switch (type) {
      case 'IdempotencyClaimed':
        return { status: 'claimed', claim: data };
      case 'IdempotencyReleased':
        if (record.status === 'free' || record.claim.operationId !== data.operationId) return record;
        return { status: 'free', ...(data.abandoned === undefined && { released: record.claim }) };
      default:
        return type satisfies never;
    }
  },
};

/** The claim that holds the key at `at` (ms); undefined if it is fresh, released, or expired. */
export const heldClaim = (record: IdempotencyRecord, at: number): Claim | undefined =>
  record.status === 'claimed' && at < record.claim.expiresAt ? record.claim : undefined;
