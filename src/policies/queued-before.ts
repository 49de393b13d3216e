// The messages that are queued already, by the read model of the queues: where the kept place of the walk was lost with
// the read models, each message is offered again, and a million streams need not be read to find that out.
import { type Queueing, queueIdOf } from '../commands/webhooks/queue-messages.ts';
import { webhookQueues } from '../projections/models/webhook-queues.ts';
import type { ReadModels } from '../stores/read-models.ts';

/** Documents a question. */
const AT_ONCE = 500;

/**
 * A document that is older than its stream names too few of them: those are offered to their queue, which knows
 * (`queueMessages`). It never names too many, because what is queued stays queued.
 */
export class QueuedBefore {
  readonly #readModels: Pick<ReadModels, 'get'>;
  /**
   * The last page, or that of a process before this one, was offered before: so may the next be. New messages cost no
   * question.
   */
  #isLikely = true;

  constructor(readModels: Pick<ReadModels, 'get'>) {
    this.#readModels = readModels;
  }

  /** The queueings without what is queued, as far as that is known. Throws StoreUnavailable. */
  async without(queueings: readonly Queueing[]): Promise<readonly Queueing[]> {
    if (!this.#isLikely || queueings.length === 0) return queueings;
    const last = await this.#lastSequences(queueings.map(queueOf));
    const left = queueings.flatMap((queueing) => {
      const queued = last.get(queueOf(queueing));
      if (queued === undefined) return [queueing];
      const messages = queueing.messages.filter(({ sequence }) => sequence > queued);
      return messages.length === 0 ? [] : [{ ...queueing, messages }];
    });
    this.#isLikely = countOf(left) < countOf(queueings);
    return left;
  }

  /** The sequence of the newest message in each queue that has messages. */
  async #lastSequences(queueIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const found = new Map<string, number>();
    for (let at = 0; at < queueIds.length; at += AT_ONCE) {
      for (const { id, doc } of await this.#readModels.get(webhookQueues, queueIds.slice(at, at + AT_ONCE))) {
        const newest = doc.status === 'absent' ? undefined : doc.messages.at(-1);
        if (newest !== undefined) found.set(id, newest.sequence);
      }
    }
    return found;
  }
}

const queueOf = ({ endpointId, paymentId }: Queueing): string => queueIdOf(endpointId, paymentId);
const countOf = (queueings: readonly Queueing[]): number =>
  queueings.reduce((count, { messages }) => count + messages.length, 0);
