// Delivers a message again at the request of a person; or, in batches, those of an endpoint that it has not taken since
// a time (contract §8, "resend").
import pLimit from 'p-limit';
import { requestAct } from '../../domain/act.ts';
import { type Rejection, reject } from '../../domain/decider.ts';
import { resendMessage as decideResending, resendUntaken as decideUntaken } from '../../domain/webhook-queue/decide.ts';
import type { WebhookQueue } from '../../domain/webhook-queue/state.ts';
import { operatorContext } from '../../journal/contexts.ts';
import { transact } from '../../journal/transact.ts';
import type { Answer, Caller } from '../caller.ts';
import { answerOf, changeFor } from '../idempotency.ts';
import { missingEndpoint } from './manage-endpoints.ts';
import type { WebhookNeeds } from './needs.ts';

/** The name of one message of a queue: `<endpoint>.<payment, agreement or checkpoint>.<sequence>`. */
export const deliveryIdOf = (queueId: string, sequence: number): string => `${queueId}.${sequence}`;

const DELIVERY_ID = /^(we_[0-9a-f]+\.(?:(?:pay|agr)_[0-9A-Za-z]+|checkpoint_\d{1,9}))\.(\d{1,9})$/;

/** The queue and the message that a delivery's name names; undefined for a text that is no such name. */
export function namedDelivery(deliveryId: string): { readonly queueId: string; readonly sequence: number } | undefined {
  const [, queueId, sequence] = DELIVERY_ID.exec(deliveryId) ?? [];
  return queueId === undefined || sequence === undefined ? undefined : { queueId, sequence: Number(sequence) };
}

/** `by`: a user of the dashboard. NotFound for an unknown delivery; Conflict where its endpoint is disabled. */
export async function resendMessage(
  needs: WebhookNeeds,
  deliveryId: string,
  by?: Caller,
): Promise<Answer<WebhookQueue>> {
  const missing = reject('NotFound', `There is no delivery ${deliveryId}.`);
  const named = namedDelivery(deliveryId);
  if (named === undefined) return missing;
  const { queueId, sequence } = named;
  const { webhookQueues } = needs;
  const { state } = await webhookQueues.current(queueId);
  if (state.status === 'absent' || (by !== undefined && by.accountId !== state.accountId)) return missing;
  const { endpointId, accountId } = state;
  const changed = await changeFor(
    needs,
    { name: 'resend-webhook', accountId, by },
    { streams: webhookQueues, resource: { id: queueId } },
    ({ context }) => decideResending(sequence, context.at),
    () => unlessEnabled(needs, endpointId),
  );
  return answerOf(changed);
}

/** Conflict if the endpoint is disabled or deleted. */
async function unlessEnabled(
  { webhookEndpoints }: Pick<WebhookNeeds, 'webhookEndpoints'>,
  endpointId: string,
): Promise<Rejection | undefined> {
  const { state } = await webhookEndpoints.current(endpointId);
  return state.status === 'enabled'
    ? undefined
    : reject(
        'Conflict',
        `The webhook endpoint is ${state.status === 'deleted' ? 'deleted' : 'disabled'}: nothing more is sent to it.`,
      );
}

interface ResendingUntaken {
  readonly endpointId: string;
  /** The queues of this batch; those of other endpoints are left out. */
  readonly queueIds: readonly string[];
  /** Messages that were queued then or later; ms. */
  readonly since: number;
  /** When the user saw how many messages there are; ms. It names the request: all its batches have the same. */
  readonly asOf: number;
}

/** The account of an endpoint that takes messages. Rejections as of `resendUntaken`. */
export async function receivingEndpoint(
  needs: Pick<WebhookNeeds, 'webhookEndpoints'>,
  endpointId: string,
  by?: Caller,
): Promise<{ readonly kind: 'receiving'; readonly accountId: string } | Rejection> {
  const { state } = await needs.webhookEndpoints.current(endpointId);
  if (state.status === 'absent' || (by !== undefined && by.accountId !== state.accountId))
    return missingEndpoint(endpointId);
  return (await unlessEnabled(needs, endpointId)) ?? { kind: 'receiving', accountId: state.accountId };
}

/** Appends under way at a time. */
const AT_ONCE = 16;

/**
 * Resends a batch, and resolves to the number of messages. The request is on record before its first batch. A batch
 * that is repeated resends nothing twice, so a run that ended half-way begins again with the same request or a new one.
 * `by`: a user of the dashboard. NotFound for an unknown endpoint; Conflict if it is disabled. Throws StoreUnavailable.
 */
export async function resendUntaken(
  needs: WebhookNeeds,
  { endpointId, queueIds, since, asOf }: ResendingUntaken,
  by?: Caller,
): Promise<{ readonly kind: 'resent'; readonly messages: number } | Rejection> {
  const { acts, webhookQueues, world, mayWrite } = needs;
  const receiving = await receivingEndpoint(needs, endpointId, by);
  if (receiving.kind === 'rejected') return receiving;
  await mayWrite();
  const context = () => operatorContext(world, receiving.accountId, by);
  await transact(
    acts,
    `resend-${endpointId}-${since}-${asOf}`,
    context(),
    requestAct({ type: 'WebhookResendRequested', data: { endpointId, since, asOf } }),
    { start: 'guess' },
  );
  const limited = pLimit(AT_ONCE);
  const counts = await Promise.all(
    queueIds
      .filter((queueId) => queueId.startsWith(`${endpointId}.`))
      .map((queueId) =>
        limited(async () => {
          const decide = decideUntaken({ since, asOf }, world.now());
          const done = await transact(webhookQueues, queueId, context(), decide);
          return done.kind === 'written' ? done.events.length : 0;
        }),
      ),
  );
  return { kind: 'resent', messages: counts.reduce((sum, count) => sum + count, 0) };
}
