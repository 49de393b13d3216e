// An idempotency key: its stream owns the operation that the key stands for, until a refusal releases it or its time is
// over (contract §6).
import { z } from 'zod';
import { category, event, upcast } from './category.ts';
import { accept, type Decider, type Decision, reject } from './decider.ts';

const Claim = z.strictObject({
  /** Keyed hash of method, path and body. */
  fingerprint: z.string(),
  operationId: z.string(),
  /** The operation's name, kebab-case. */
  operation: z.string(),
  /** The id of the target, whose category follows from the operation. */
  resourceId: z.string(),
  /** The target's revision before the operation: its events come after it. */
  targetRevision: z.number(),
  claimedAt: z.number(),
  /** Until then the key stands for the operation, ms. */
  expiresAt: z.number(),
});
export type Claim = Readonly<z.infer<typeof Claim>>;

/** As version 1 had it: with the name of the target's stream, which the operation and the resource say already. */
const ClaimWithStream = Claim.extend({ targetStream: z.string() });

export const idempotencyCategory = category(
  'idempotency',
  z.discriminatedUnion('type', [
    event('IdempotencyClaimed', Claim),
    /** `abandoned`: the operation never had an effect and never can have one. */
    event('IdempotencyReleased', z.strictObject({ operationId: z.string(), abandoned: z.literal(true).optional() })),
  ]),
  { IdempotencyClaimed: [upcast(ClaimWithStream, ({ targetStream: _, ...claim }) => claim)] },
);
export type IdempotencyEvent = z.infer<typeof idempotencyCategory.event>;

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
