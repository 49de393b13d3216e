// Delivers the messages of a queue that are due, and records how each attempt ended.
import { maskedText } from '../../domain/card-number/mask.ts';
import { disableEndpoint, type ExistingEndpoint, signingSecrets } from '../../domain/webhook-endpoint.ts';
import { type DeliveryOutcome, dueMessages, isSuccess, recordDeliveries } from '../../domain/webhook-queue/decide.ts';
import type { ExistingQueue, QueuedMessage } from '../../domain/webhook-queue/state.ts';
import { policyContext } from '../../journal/contexts.ts';
import { transact } from '../../journal/transact.ts';
import { StoreUnavailable } from '../../stores/store-unavailable.ts';
import { machineTime } from '../users/machine-time.ts';
import type { WebhookNeeds } from './needs.ts';
import type { Posted } from './post.ts';
import { messageHeaders, signatureOf } from './signature.ts';
import { toldMessage } from './told-payment.ts';

interface Delivering {
  readonly queueId: string;
  /** The queue had messages that are due, at this revision or later. */
  readonly revision: number;
  /** The endpoint was enabled at this revision; only its stream says where messages go and what signs them. */
  readonly endpointRevision: number;
}

/** The deadline for a receiver's response (contract §8). */
export const ANSWER_WITHIN_MS = 10_000;
/** Between two tries to record an attempt while the event store is unavailable. */
const RECORD_AGAIN_MS = 1_000;
/**
 * Attempts that end within this time are recorded together, ms, or as soon as there are so many. Nobody waits for a
 * record but the payment's next message; a crash before it repeats the calls, as a crash at any time may.
 */
export const RECORD_WITHIN_MS = 25;
export const RECORDED_TOGETHER = 16;
/** Characters of an answer's body that are kept. */
const BODY_KEPT = 500;
/** The receiver will never want another one. */
const GONE = 410;

/**
 * Makes one attempt for each due message, in order; at least once, because a process may die between the receiver's
 * response and its record. Resolves to true if the receiver accepted all of them, undefined if nothing was due.
 * `policy`: the actor of the events. Throws StoreUnavailable, and the fault of a message that cannot be built, once the
 * attempts before it are recorded.
 */
export async function deliverMessages(
  needs: WebhookNeeds,
  { queueId, revision, endpointRevision }: Delivering,
  policy: string,
  signal: AbortSignal,
): Promise<boolean | undefined> {
  const { webhookQueues, webhookEndpoints, world } = needs;
  const guess = webhookQueues.guess(queueId);
  const { state: queue } = guess.head.revision >= revision ? guess : await webhookQueues.current(queueId);
  const due = dueMessages(queue, world.now());
  if (queue.status === 'absent' || due.length === 0) return undefined;
  const { accountId, endpointId } = queue;
  const guessed = webhookEndpoints.guess(endpointId);
  const { state: endpoint } =
    guessed.head.revision >= endpointRevision ? guessed : await webhookEndpoints.current(endpointId);
  if (endpoint.status !== 'enabled') return undefined;
  const endsEndpoint = ({ outcome, isUnsent }: AttemptedDelivery): boolean =>
    outcome.status === GONE || (isUnsent && endpoint.shortLived === true);
  const { made, fault } = await attemptEach(
    due,
    (message) => attempt(needs, queue, endpoint, message),
    endsEndpoint,
    signal,
  );
  const outcomes = made.map(({ outcome }) => outcome);
  const context = policyContext(world, policy, accountId, { correlationId: queueId });
  if (outcomes.length > 0) {
    await needs.beforeRecord();
    await untilTaken(
      needs,
      () => transact(webhookQueues, queueId, context, recordDeliveries(outcomes), { isFact: true }),
      signal,
    );
  }
  if (made.some(endsEndpoint))
    await transact(webhookEndpoints, endpointId, context, disableEndpoint('gone'), { isFact: true });
  if (fault !== undefined) throw fault.thrown;
  return outcomes.length === 0 ? undefined : outcomes.every(({ status }) => isSuccess(status));
}

interface Attempts {
  readonly made: readonly AttemptedDelivery[];
  /** The fault that prevented the next message. */
  readonly fault?: { readonly thrown: unknown };
}

/** Up to the first message that cannot be built, the end of the endpoint, or the abort of the signal. */
async function attemptEach(
  due: readonly QueuedMessage[],
  attemptOne: (message: QueuedMessage) => Promise<AttemptedDelivery>,
  endsEndpoint: (attempted: AttemptedDelivery) => boolean,
  signal: AbortSignal,
): Promise<Attempts> {
  const made: AttemptedDelivery[] = [];
  for (const message of due) {
    if (signal.aborted) break;
    try {
      const attempted = await attemptOne(message);
      made.push(attempted);
      if (endsEndpoint(attempted)) break;
    } catch (thrown) {
      return { made, fault: { thrown } };
    }
  }
  return { made };
}

/** A record that waits for its store costs nothing; a call without a record would be made again and again. */
async function untilTaken(
  { world }: Pick<WebhookNeeds, 'world'>,
  record: () => Promise<unknown>,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    try {
      await record();
      return;
    } catch (fault) {
      if (!(fault instanceof StoreUnavailable) || signal.aborted) throw fault;
      await world.sleep(RECORD_AGAIN_MS, signal).catch(() => undefined);
    }
  }
}

interface AttemptedDelivery {
  readonly outcome: DeliveryOutcome;
  /** Nobody was there to take it. */
  readonly isUnsent: boolean;
}

async function attempt(
  needs: WebhookNeeds,
  queue: ExistingQueue,
  endpoint: ExistingEndpoint,
  message: QueuedMessage,
): Promise<AttemptedDelivery> {
  const { endpointId } = queue;
  const { sequence, tries } = message;
  const { world, storeKey, post } = needs;
  const { messageId, body } = await toldMessage(needs, queue, message);
  const realTime = machineTime(world); // receivers know no business clock that was moved
  const timestamp = Math.floor(realTime / 1_000);
  const secrets = signingSecrets(endpoint, realTime);
  const signature = signatureOf(storeKey, { endpointId, secrets, messageId, timestamp, body });
  const headers = messageHeaders({ messageId, timestamp, signature });
  const begun = world.monotonic();
  const posted = await needs.deadlines.within((signal) => post({ url: endpoint.url, headers, body }, signal));
  const ended = {
    sequence,
    tries,
    at: world.now(),
    tookMs: Math.round(world.monotonic() - begun),
    chance: chanceOf(needs),
  };
  const isUnsent = posted !== 'timeout' && 'fault' in posted && posted.isUnsent === true;
  return { outcome: { ...ended, signed: { timestamp, signature }, ...answered(posted) }, isUnsent };
}

function answered(posted: Posted | 'timeout'): Pick<DeliveryOutcome, 'status' | 'body' | 'fault'> {
  if (posted === 'timeout') return { fault: `no answer within ${ANSWER_WITHIN_MS / 1_000} s` };
  return 'fault' in posted ? { fault: posted.fault } : { status: posted.status, body: beginningOf(posted.body) };
}

/** Card numbers are masked first, where they are whole. No character is cut in two: not every store keeps halves. */
const beginningOf = (body: string): string =>
  maskedText(body)
    .slice(0, BODY_KEPT)
    .replace(/[\ud800-\udbff]$/, '');

const chanceOf = ({ world }: Pick<WebhookNeeds, 'world'>): number =>
  Buffer.from(world.randomBytes(2)).readUInt16BE(0) / 0xffff;
