// Webhooks broken on purpose, each in one plausible way: the simulator must catch every one.
import { queueIdOf } from '../../src/commands/webhooks/queue-messages.ts';
import { makeWebhooks } from '../../src/commands/webhooks/webhooks.ts';
import { accept } from '../../src/domain/decider.ts';
import type { WebhookQueueEvent } from '../../src/domain/webhook-queue/events.ts';
import { policyContext } from '../../src/journal/contexts.ts';
import { transact } from '../../src/journal/transact.ts';
import type { BrokenVariant } from './variant.ts';

/** Goes past one payment of sixteen. */
const fanOutSkips: BrokenVariant = {
  name: 'the fan-out skips a payment',
  breaks: /never came$/,
  webhooks: (needs) => {
    const made = makeWebhooks(needs);
    return {
      ...made,
      queueWebhooks: async (queueing, policy) =>
        queueing.subjectId.endsWith('0') ? undefined : made.queueWebhooks(queueing, policy),
    };
  },
};

/** Goes past a page although a store was unavailable for it: the place is kept before the append is written. */
const placeBeforeAppend: BrokenVariant = {
  name: 'keep the place of the fan-out before its append',
  breaks: /never came$/,
  webhooks: (needs) => {
    const made = makeWebhooks(needs);
    return { ...made, queueWebhooks: async (...args) => void made.queueWebhooks(...args).catch(() => undefined) };
  },
};

/** Names the previous revision as the previous message. */
const wrongPredecessor: BrokenVariant = {
  name: 'a wrong previousSequence',
  breaks: /never came, which a later message names|goes past/,
  webhooks: (needs) => ({
    ...makeWebhooks(needs),
    queueWebhooks: async ({ accountId, endpointId, subjectId, messages }, policy) => {
      const context = policyContext(needs.world, policy, accountId, { correlationId: subjectId });
      await transact(
        needs.webhookQueues,
        queueIdOf(endpointId, subjectId),
        context,
        (queue) => {
          const last = queue.status === 'absent' ? -1 : (queue.messages.at(-1)?.sequence ?? -1);
          const newer = messages.filter(({ sequence }) => sequence > last);
          return accept(
            ...newer.map(({ correlationId: _began, ...message }): WebhookQueueEvent => {
              const its = { accountId, endpointId, previousSequence: message.sequence - 1, queuedAt: context.at };
              return 'paymentId' in message
                ? { type: 'MessageQueued', data: { ...its, ...message } }
                : { type: 'AgreementMessageQueued', data: { ...its, ...message } };
            }),
          );
        },
        { isFact: true },
      );
    },
  }),
};

/** Takes a call without an answer for a success. */
const noAnswerIsTaken: BrokenVariant = {
  name: 'a delivery without an answer counts as made',
  breaks: /never came/,
  webhooks: (needs) =>
    makeWebhooks({
      ...needs,
      post: async (...args) => {
        const posted = await needs.post(...args);
        return 'fault' in posted ? { status: 200, body: '' } : posted;
      },
    }),
};

export const WEBHOOK_VARIANTS: readonly BrokenVariant[] = [
  fanOutSkips,
  placeBeforeAppend,
  wrongPredecessor,
  noAnswerIsTaken,
];
