// The folds by category: the state that a stream's events amount to.
import { account } from '../../domain/account/state.ts';
import { act } from '../../domain/act/state.ts';
import { apiKey } from '../../domain/api-key/state.ts';
import type { Category, DomainEvent } from '../../domain/category.ts';
import { checkpoints } from '../../domain/checkpoint/state.ts';
import { clientSession } from '../../domain/client-session/state.ts';
import { connection } from '../../domain/connection/state.ts';
import { customerWallet } from '../../domain/customer-wallet/state.ts';
import type { Decider } from '../../domain/decider.ts';
import { email } from '../../domain/email/state.ts';
import { idempotency } from '../../domain/idempotency/state.ts';
import { notification } from '../../domain/notification/state.ts';
import { payment } from '../../domain/payment/state.ts';
import { paymentInstrument } from '../../domain/payment-instrument/state.ts';
import { paymentNote } from '../../domain/payment-note/state.ts';
import { savedView } from '../../domain/saved-view/state.ts';
import { store } from '../../domain/store/state.ts';
import { user } from '../../domain/user/state.ts';
import { webhookEndpoint } from '../../domain/webhook-endpoint/state.ts';
import { webhookQueue } from '../../domain/webhook-queue/state.ts';
import { unseal } from '../../journal/envelope.ts';
import type { StoredEvent } from '../../stores/event-store.ts';
import { categoryOf } from '../../stores/stream-name.ts';

export interface Replay {
  readonly category: Pick<Category<DomainEvent>, 'name' | 'data' | 'upcasters'>;
  /** The state that the events so far make; `next` adds one. */
  readonly state: object;
  next(stored: StoredEvent): Replay;
}

/** Each closes over its own state and event types: a list of different things. */
export const FOLDS: ReadonlyMap<string, Replay> = new Map([
  start(store),
  start(account),
  start(apiKey),
  start(user),
  start(email),
  start(clientSession),
  start(payment),
  start(paymentNote),
  start(savedView),
  start(paymentInstrument),
  start(customerWallet),
  start(idempotency),
  start(notification),
  start(connection),
  start(act),
  start(webhookEndpoint),
  start(webhookQueue),
  start(checkpoints),
]);

function start<State extends object, Event extends DomainEvent>(
  decider: Decider<State, Event>,
): readonly [string, Replay] {
  const { category, evolve, initial } = decider;
  const from = (state: State): Replay => ({
    category,
    state,
    next(stored) {
      const { event, recorded } = unseal(category, stored);
      return from(evolve(state, event, recorded));
    },
  });
  return [category.name, from(initial)];
}

/** The state before the first event of a stream; undefined for a category that this version does not know. */
export const replayOf = (stream: string): Replay | undefined => FOLDS.get(categoryOf(stream));
