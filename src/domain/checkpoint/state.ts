// The checkpoints of the log as they stand: the newest, from which the next one continues.
import { accept, type Decider, type Decision } from '../decider.ts';
import { type CheckpointEvent, type CheckpointMade, checkpointCategory } from './events.ts';

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
