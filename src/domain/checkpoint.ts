// The checkpoints of the log: each signs all events before it (contract §11, decision 156). The next one continues from
// the newest.
import { z } from 'zod';
import { category, event } from './category.ts';
import { accept, type Decider, type Decision } from './decider.ts';

/** The first `treeSize` events of the log have this Merkle root (RFC 6962, hashes in hex). */
const Consistency = z.strictObject({ treeSize: z.number(), root: z.string(), path: z.array(z.string()).readonly() });

const CheckpointMade = z.strictObject({
  format: z.literal('counterfoil-checkpoint-1'),
  /** The id of the store's first event. */
  storeId: z.string(),
  treeSize: z.number(),
  root: z.string(),
  /** The position of the last event that it covers, in the store in which it was signed; digits. */
  position: z.string(),
  /** RFC 3339, as it was signed. */
  madeAt: z.string(),
  publicKey: z.string(),
  signature: z.string(),
  /** Shows that the log extends that of the previous checkpoint; absent from the first. */
  extends: Consistency.optional(),
  /** The perfect subtrees of the tree, the largest first: the next checkpoint continues from them. */
  edge: z.array(z.string()),
  /** The last event that it covers: the next checkpoint reads the log from there. */
  last: z.strictObject({ stream: z.string(), revision: z.number() }),
});
export type CheckpointMade = Readonly<z.infer<typeof CheckpointMade>>;

export const checkpointCategory = category(
  'checkpoint',
  z.discriminatedUnion('type', [event('CheckpointMade', CheckpointMade)]),
);
export type CheckpointEvent = z.infer<typeof checkpointCategory.event>;

/** The id of the one stream that a store has of its checkpoints. */
export const CHECKPOINTS_ID = '0';

export type Checkpoints =
  | { readonly status: 'absent' }
  | { readonly status: 'made'; readonly newest: CheckpointMade; readonly newestAt: number };

export const checkpoints: Decider<Checkpoints, CheckpointEvent> = {
  category: checkpointCategory,
  initial: { status: 'absent' },
  evolve: (_, { data }, { at }) => ({ status: 'made', newest: data, newestAt: at }),
};

/** `base`: the checkpoint from which this one continues. If a newer one exists, another node created it: nothing. */
export const recordCheckpoint =
  (made: CheckpointMade, base: CheckpointMade | undefined) =>
  (state: Checkpoints): Decision<CheckpointEvent> => {
    const newest = state.status === 'absent' ? undefined : state.newest;
    return newest?.signature === base?.signature ? accept({ type: 'CheckpointMade', data: made }) : accept();
  };
