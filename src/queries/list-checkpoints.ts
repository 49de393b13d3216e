// The recorded checkpoints of the log, newest first. They are of the whole store: every account sees them.
import { type CheckpointKey, checkpoints, type ListedCheckpoint } from '../projections/models/checkpoints.ts';
import type { Query, ReadModels, Stored } from '../stores/read-models.ts';

const NEWEST_FIRST: NonNullable<Query<CheckpointKey>['order']> = { by: 'position', descending: true };

export interface CheckpointsPage {
  readonly rows: readonly Stored<ListedCheckpoint>[];
  /** The position after which the next page begins. */
  readonly next?: number;
}

/** `limit`: 1 to 100. `before`: the position of the last row of the previous page. As old as the follower. */
export const listCheckpoints =
  (readModels: Pick<ReadModels, 'find'>) =>
  async (limit: number, before?: number): Promise<CheckpointsPage> => {
    const where: Query<CheckpointKey>['where'] = { position: before === undefined ? {} : { to: before - 1 } };
    const found = await readModels.find(checkpoints, { where, order: NEWEST_FIRST, limit: limit + 1 });
    const rows = found.slice(0, limit);
    const last = rows.at(-1);
    return { rows, ...(found.length > limit && last !== undefined && { next: last.doc.position }) };
  };
