// Records a checkpoint of the log each hour, or as often as the setting says, and queues the message about each one for
// the endpoints that ask for it.
import type { MakeCheckpoint } from '../audit/next-checkpoint.ts';
import type { Webhooks } from '../commands/webhooks/webhooks.ts';
import { checkpointCategory } from '../domain/checkpoint.ts';
import { CHECKPOINT_TYPE, wantsMessage } from '../domain/webhook-endpoint.ts';
import { type CheckpointKey, checkpoints, type ListedCheckpoint } from '../projections/models/checkpoints.ts';
import { webhookEndpoints } from '../projections/models/webhook-endpoints.ts';
import { webhookQueues } from '../projections/models/webhook-queues.ts';
import { allOf } from '../queries/pages.ts';
import { BrokenStream } from '../stores/broken-stream.ts';
import type { Stored } from '../stores/read-models.ts';
import { type DueParts, inRounds, type PolicyNode } from './policy.ts';
import type { QueueingParts } from './queue-webhooks.ts';
import { type Pages, type WalkParts, walkOn } from './walk.ts';

/** The actor in the events that it causes. */
const MAKING = 'make-checkpoints';
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
    await makeCheckpoint(checkpointEveryMs + waitMs, MAKING, signal).catch((fault: unknown) => {
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

/** The actor in the events that it causes, and the name of its place. */
const QUEUEING = 'queue-checkpoints';
const PAGES: Pages = { page: 100, pauseMs: 0 };
/** Nobody waits for a receipt. */
const EVERY_MS = 5_000;

export interface QueueingCheckpointsNeeds extends PolicyNode, Pick<Webhooks, 'queueCheckpoint'> {}

type CheckpointQueueing = DueParts & WalkParts & Pick<QueueingParts, 'followedTo' | 'beginOf' | 'wanted'>;

/** On the node that does due work, until the signal aborts. Two nodes at once queue each message once. */
export function queueCheckpoints(
  needs: QueueingCheckpointsNeeds,
  parts: CheckpointQueueing,
  signal: AbortSignal,
): Promise<void> {
  const isBuilt = (): boolean =>
    [checkpoints, webhookEndpoints, webhookQueues].every(({ name }) => parts.isBuilt(name));
  const look = async (rows: readonly Stored<ListedCheckpoint>[]): Promise<void> => {
    for await (const { id: endpointId, doc } of allOf(parts.readModels, webhookEndpoints, {
      where: { enabled: [true] },
      isDueWork: true,
    })) {
      if (doc.status === 'absent') continue;
      const begin = await parts.beginOf(endpointId);
      const wanted = rows.filter(
        ({ doc: { date, position } }) => wantsMessage(doc, CHECKPOINT_TYPE, date) && position > begin,
      );
      for (const { id: eventId, doc: checkpoint } of wanted) {
        const { sequence, correlationId } = checkpoint;
        const { accountId } = doc;
        const queueing = { accountId, endpointId, eventId, sequence, correlationId };
        await needs.queueCheckpoint(queueing, QUEUEING).catch((fault: unknown) => {
          if (!(fault instanceof BrokenStream)) throw fault;
          needs.report(fault);
        });
      }
      if (wanted.length > 0) parts.wanted.add([endpointId]);
    }
  };
  const walk = { name: QUEUEING, of: checkpoints, by: 'position', look } as const;
  const round = async (): Promise<void> => {
    const to = Number(parts.followedTo(checkpoints.name));
    await walkOn<ListedCheckpoint, CheckpointKey>(walk, PAGES, to, parts, needs.world, signal);
  };
  return inRounds({ of: checkpoints, everyMs: EVERY_MS }, round, { ...parts, isBuilt }, needs, signal);
}
