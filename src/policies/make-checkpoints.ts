// Records a checkpoint of the log each hour, or as often as the setting says.
import type { MakeCheckpoint } from '../audit/next-checkpoint.ts';
import { checkpointCategory } from '../domain/checkpoint/events.ts';
import { type DueParts, inRounds, type PolicyNode } from './policy.ts';

/** The actor in the events that it causes. */
const NAME = 'make-checkpoints';
/** How often it looks whether the newest checkpoint is old enough; the look reads what is new in one stream. */
const LOOK_MS = 10_000;
/** One node does due work; each other node waits this much longer. */
const ELSEWHERE_MS = 60_000;

export interface CheckpointingNeeds extends PolicyNode {
  /** Undefined: never. */
  readonly checkpointEveryMs: number | undefined;
  readonly makeCheckpoint: MakeCheckpoint;
}

/** On the node that does due work, until the signal aborts. The work reads no read model. */
export async function makeCheckpoints(needs: CheckpointingNeeds, parts: DueParts, signal: AbortSignal): Promise<void> {
  const { checkpointEveryMs, makeCheckpoint } = needs;
  if (checkpointEveryMs === undefined) return;
  const round = async (waitMs: number): Promise<void> => {
    await makeCheckpoint(checkpointEveryMs + waitMs, NAME, signal).catch((fault: unknown) => {
      if (!signal.aborted) throw fault;
    });
  };
  const of = { name: checkpointCategory.name };
  await inRounds(
    { of, everyMs: LOOK_MS, elsewhereMs: ELSEWHERE_MS },
    round,
    { ...parts, isBuilt: () => true },
    needs,
    signal,
  );
}
