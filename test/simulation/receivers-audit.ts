// The messages that every receiver that was up at the end must have got: each message of the log in its own words, in
// an unbroken chain.
import { agreementCategory } from '../../src/domain/agreement/events.ts';
import { tellOfAgreement } from '../../src/domain/agreement/message.ts';
import { type Agreement, agreement } from '../../src/domain/agreement/state.ts';
import { paymentCategory } from '../../src/domain/payment/events.ts';
import { nothingTold, type ToldPayment, tellOf } from '../../src/domain/payment/message.ts';
import { isKnown } from '../../src/domain/payment/queries.ts';
import { payment } from '../../src/domain/payment/state.ts';
import { webhookEndpointCategory } from '../../src/domain/webhook-endpoint.ts';
import {
  type AgreementMessageAnswer,
  agreementMessageAnswer,
  type PaymentMessageAnswer,
  paymentMessageAnswer,
} from '../../src/http/answers/messages.ts';
import { unsealEvent } from '../../src/journal/envelope.ts';
import type { EventStore, StoredEvent } from '../../src/stores/event-store.ts';
import { idOf } from '../../src/stores/stream-name.ts';
import { brokenChains } from '../webhooks/chain.ts';
import type { Receiver } from './receivers.ts';

/** A message that the log makes. */
interface Expected {
  readonly position: bigint;
  readonly answer: PaymentMessageAnswer | AgreementMessageAnswer;
}

export async function auditReceivers(events: EventStore, receivers: readonly Receiver[]): Promise<readonly string[]> {
  if (receivers.length === 0) return [];
  const { messages, addedAt, disabled } = await readLog(events);
  const violations: string[] = [];
  for (const { url, endpointId, plan, received } of receivers) {
    const complain = (what: string): void => void violations.push(`${url}: ${what}`);
    for (const { eventId, previousSequence, text } of received) {
      const answer = messages.get(eventId)?.answer;
      if (answer === undefined) complain(`${eventId} is not a message of the log`);
      else if (JSON.stringify(previousSequence === undefined ? answer : { ...answer, previousSequence }) !== text)
        complain(`${eventId} is not its subject at ${answer.sequence}: ${text}`);
    }
    if (disabled.has(endpointId)) continue;
    violations.push(...brokenChains(received).map((broken) => `${url}: ${broken}`));
    const got = new Set(received.map(({ eventId }) => eventId));
    const from = addedAt.get(endpointId);
    for (const [eventId, { position, answer }] of messages) {
      const isWanted = plan.events?.some((type) => type === answer.eventType) ?? true;
      if (from !== undefined && position > from && isWanted && !got.has(eventId))
        complain(`${answer.eventType} of ${idIn(answer)}@${answer.sequence} never came`);
    }
  }
  return violations;
}

const idIn = (answer: Expected['answer']): string => ('payment' in answer ? answer.payment.id : answer.agreement.id);

/** Folds the payments and agreements with nothing of the projections. */
async function readLog(events: EventStore) {
  const messages = new Map<string, Expected>();
  const addedAt = new Map<string, bigint>();
  const disabled = new Set<string>();
  const told = new Map<string, ToldPayment>();
  const states = new Map<string, typeof payment.initial>();
  const tell = (stored: StoredEvent): void => {
    const { event, recorded } = unsealEvent(paymentCategory, stored);
    const id = idOf(stored.stream);
    const state = payment.evolve(states.get(id) ?? payment.initial, event, recorded);
    states.set(id, state);
    const next = tellOf(told.get(id) ?? nothingTold, event, recorded);
    told.set(id, next.told);
    if (next.type === undefined || !isKnown(state)) return;
    const message = { eventId: recorded.id, eventType: next.type, paymentId: id, sequence: recorded.revision };
    const answer = paymentMessageAnswer(message, state);
    messages.set(answer.eventId, { position: stored.position, answer });
  };
  const agreements = new Map<string, Agreement>();
  const tellAgreement = (stored: StoredEvent): void => {
    const { event, recorded } = unsealEvent(agreementCategory, stored);
    const id = idOf(stored.stream);
    const before = agreements.get(id) ?? agreement.initial;
    const state = agreement.evolve(before, event, recorded);
    agreements.set(id, state);
    const { type } = tellOfAgreement(before, event, recorded);
    if (type === undefined || state.status === 'absent') return;
    const settled = event.type === 'ChargeSettled' ? event.data.periodKey : undefined;
    const charge = state.periods.find(({ periodKey }) => periodKey === settled);
    const message = { eventId: recorded.id, eventType: type, agreementId: id, sequence: recorded.revision };
    const answer = agreementMessageAnswer(message, { agreement: state, ...(charge !== undefined && { charge }) });
    messages.set(answer.eventId, { position: stored.position, answer });
  };
  const enough = new AbortController();
  const categories = [paymentCategory.name, agreementCategory.name, webhookEndpointCategory.name];
  for await (const batch of events.follow(-1n, categories, enough.signal)) {
    for (const stored of batch.events) {
      if (stored.type === 'WebhookEndpointAdded') addedAt.set(idOf(stored.stream), stored.position);
      else if (stored.type === 'WebhookEndpointDisabled') disabled.add(idOf(stored.stream));
      else if (stored.stream.startsWith(`${paymentCategory.name}-`)) tell(stored);
      else if (stored.stream.startsWith(`${agreementCategory.name}-`)) tellAgreement(stored);
    }
    if (batch.caughtUp) enough.abort();
  }
  return { messages, addedAt, disabled };
}
