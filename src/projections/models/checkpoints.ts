// The checkpoints of the log, in its order: a page lists them, and webhooks report them.

import { type CheckpointMade, checkpointCategory } from '../../domain/checkpoint.ts';
import { correlationIdOf, unsealEvent } from '../../journal/envelope.ts';
import { type LogProjection, logProjection, type Reader, readingOf } from '../projection.ts';

export interface ListedCheckpoint {
  /** What the event records, without what only the next checkpoint needs. */
  readonly receipt: Omit<CheckpointMade, 'edge' | 'last'>;
  /** The event's revision in its stream. */
  readonly sequence: number;
  /** The position of the event in the log; below 2^53 in every log that we know. */
  readonly position: number;
  /** When the event was recorded, ms. */
  readonly date: number;
  readonly correlationId: string;
}

export type CheckpointKey = 'position';

const reader: Reader<object, ListedCheckpoint> = {
  categories: [checkpointCategory.name],
  initial: {},
  read: (known, stored) => {
    const { event, recorded } = unsealEvent(checkpointCategory, stored);
    const { edge: _edge, last: _last, ...receipt } = event.data;
    const { id, revision: sequence, at: date } = recorded;
    const position = Number(stored.position);
    const listed = { receipt, sequence, position, date, correlationId: correlationIdOf(stored) };
    return { known, changes: [{ id, doc: listed }] };
  },
};

/** A document's id is that of its event. */
export const checkpoints: LogProjection<ListedCheckpoint, CheckpointKey> = logProjection(readingOf(reader), {
  name: 'checkpoints',
  version: 1,
  keys: { position: ({ position }) => position },
  indexes: [['position']],
});
