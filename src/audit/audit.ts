// The audit as a subject: the log compared with its own checkpoints, and proofs of payments and agreements, for users
// of a running service.
import { knownKeys, publicKeysOf } from '../journal/signing-keys.ts';
import { recordBeforeBreak } from '../journal/store-stamp.ts';
import type { Secrets, StoreKey } from '../secrets.ts';
import type { EventStore } from '../stores/event-store.ts';
import type { Proven, SubjectProof } from '../verify/format.ts';
import type { World } from '../world.ts';
import { signedCheckpoint } from './checkpoint.ts';
import { draftProof } from './export-proof.ts';
import { heldAgainst, type OwnCheckpoints, readOwnCheckpoints } from './own-checkpoints.ts';
import { type LogWalk, restBetween, type WalkedLog, walkLog } from './verify-log.ts';

interface AuditNeeds {
  readonly events: EventStore;
  readonly secrets: Secrets;
  readonly storeKey: StoreKey;
  readonly world: World;
  readonly checkpointEveryMs: number | undefined;
}

export interface ComparedLog extends OwnCheckpoints {
  /** The events of the log. */
  readonly events: number;
}

/** `share`: of the log that was read, 0 to 1. */
export type OnProgress = (events: number, share: number) => void;

export type Audit = ReturnType<typeof makeAudit>;

/**
 * Each walk reads the whole log with rests, so that requests wait little. They throw the signal's reason,
 * StoreUnavailable and BrokenStream.
 */
export function makeAudit({ events, secrets, storeKey, world, checkpointEveryMs }: AuditNeeds) {
  const walk = async (wanted: Partial<LogWalk>, onProgress: OnProgress, signal: AbortSignal): Promise<WalkedLog> => {
    const { to = await events.head(), ...others } = wanted;
    const end = Math.max(1, Number(to));
    return walkLog(
      events,
      {
        ...others,
        to,
        isTreeOnly: true,
        onProgress: (count, position) => onProgress(count, Math.min(1, Number(position) / end)),
        rest: restBetween(world, signal),
      },
      signal,
    );
  };
  const publicKeys = async (): Promise<readonly string[]> =>
    knownKeys(publicKeysOf(secrets), await recordBeforeBreak(events));
  return {
    /** How often the service records a checkpoint, ms; undefined: never. */
    checkpointEveryMs,
    /** The public keys of the master secrets, and of earlier ones; the first signs. */
    publicKeys,
    /** Compares the log with every checkpoint that it has of itself. Chains are not checked. */
    async compare(onProgress: OnProgress, signal: AbortSignal): Promise<ComparedLog> {
      const own = await readOwnCheckpoints(events);
      const walked = await walk({ sizes: own.map(({ treeSize }) => treeSize) }, onProgress, signal);
      return { events: walked.events, ...heldAgainst(own, walked, await publicKeys()) };
    },
    /** As `audit export` makes it, extending the newest recorded checkpoint; undefined: the log has no such thing. */
    async prove(wanted: Proven, onProgress: OnProgress, signal: AbortSignal): Promise<SubjectProof | undefined> {
      const newest = (await readOwnCheckpoints(events)).at(-1);
      const to = await events.head();
      const draft = await draftProof(events, wanted, storeKey);
      const walked = await walk({ to, take: draft.take, since: newest?.treeSize }, onProgress, signal);
      return draft.finished(signedCheckpoint(walked, secrets, world.now(), walked.extended));
    },
  };
}
