// The streams that hold personal data of a customer, found by what is known of the customer and by one another.

import type { AgreementEvent } from '../../domain/agreement/events.ts';
import type { Agreement } from '../../domain/agreement/state.ts';
import type { ClientSessionEvent } from '../../domain/client-session/events.ts';
import type { ClientSession } from '../../domain/client-session/state.ts';
import type { NotificationEvent } from '../../domain/notification/events.ts';
import type { Notification } from '../../domain/notification/state.ts';
import type { PaymentEvent } from '../../domain/payment/events.ts';
import type { Payment } from '../../domain/payment/payment.ts';
import type { PaymentInstrumentEvent } from '../../domain/payment-instrument/events.ts';
import type { PaymentInstrument } from '../../domain/payment-instrument/state.ts';
import type { PersonalSubject } from '../../domain/personal.ts';
import type { Streams } from '../../journal/streams.ts';
import type { StoreKey } from '../../secrets.ts';
import { type NotificationNeeds, namedPayment } from '../notifications/handle-notification.ts';

/** Ids of streams. */
export interface CustomerStreams {
  readonly payments: ReadonlySet<string>;
  /** Those that are or were the customer's: a PATCH to another customer keeps members of the earlier one. */
  readonly sessions: ReadonlySet<string>;
  readonly tokens: ReadonlySet<string>;
  readonly agreements: ReadonlySet<string>;
  readonly notifications: ReadonlySet<string>;
  /** Payments that notifications name which are not handled yet. */
  readonly waitedFor: ReadonlySet<string>;
}

/** Ids that a search begins with. */
export interface CustomerIds {
  readonly payments: readonly string[];
  readonly sessions: readonly string[];
  readonly tokens: readonly string[];
  readonly agreements: readonly string[];
}

export interface FindNeeds extends Pick<NotificationNeeds, 'processors' | 'paymentCalled' | 'methodCalled'> {
  readonly sessions: Streams<ClientSession, ClientSessionEvent>;
  readonly payments: Streams<Payment, PaymentEvent>;
  readonly instruments: Streams<PaymentInstrument, PaymentInstrumentEvent>;
  readonly agreements: Streams<Agreement, AgreementEvent>;
  readonly notifications: Streams<Notification, NotificationEvent>;
  readonly storeKey: StoreKey;
  readonly traces: {
    /** As the read models know the customer now, and as its sessions knew it earlier. */
    readonly idsOfCustomer: (accountId: string, customerId: string) => Promise<CustomerIds>;
    readonly tokensOfSession: (sessionId: string) => Promise<readonly string[]>;
    /** `id`: of a payment, or the token of a saved method. */
    readonly notificationsAppliedTo: (id: string) => Promise<readonly string[]>;
    /** Those of an account that were not applied. */
    readonly unapplied: (accountId: string) => AsyncIterable<{ readonly id: string; readonly doc: Notification }>;
  };
}

/**
 * Follows sessions to their payments and to what was entered in them, and those back to their sessions, until nothing
 * new is found. What has no customer, and was recorded in a session, belongs to each customer whose the session ever
 * was. `ids`: known besides those of the read models.
 */
export async function streamsOfCustomer(
  needs: FindNeeds,
  accountId: string,
  customerId: string,
  ids: readonly CustomerIds[] = [],
): Promise<CustomerStreams> {
  const isOther = (id: string | undefined): boolean => id !== undefined && id !== customerId;
  const found = {
    payments: new Set<string>(),
    sessions: new Set<string>(),
    tokens: new Set<string>(),
    agreements: new Set<string>(),
    notifications: new Set<string>(),
    waitedFor: new Set<string>(),
  };
  const seen = new Set<string>();
  const waiting: (() => Promise<void>)[] = [];
  const once = (kind: string, id: string | undefined, visit: (id: string) => Promise<void>): void => {
    if (id === undefined || seen.has(`${kind} ${id}`)) return;
    seen.add(`${kind} ${id}`);
    waiting.push(() => visit(id));
  };
  const session = (of: string | undefined): void =>
    once('session', of, async (id) => {
      const { state } = await needs.sessions.current(id);
      if (state.status === 'absent' || state.accountId !== accountId) return;
      found.sessions.add(id);
      for await (const { event } of needs.sessions.history(id, -1))
        if (event.type === 'ClientSessionClaimed') payment(event.data.paymentId);
      for (const entered of await needs.traces.tokensOfSession(id)) token(entered);
    });
  const payment = (of: string): void =>
    once('payment', of, async (id) => {
      for await (const { event, metadata } of needs.payments.history(id, -1)) {
        if (event.type === 'PaymentCreated') {
          const { data } = event;
          if (data.accountId !== accountId || isOther(data.customerId)) return;
          found.payments.add(id);
          session(data.sessionId);
          token(data.paymentMethod.paymentMethodToken);
        }
        const evidence = 'evidence' in event.data ? event.data.evidence : undefined;
        if (evidence !== undefined && 'notificationId' in evidence && evidence.notificationId !== undefined)
          found.notifications.add(
            needs.storeKey.notificationStream(metadata.accountId, metadata.actor.id, evidence.notificationId),
          );
      }
      for (const applied of await needs.traces.notificationsAppliedTo(id)) found.notifications.add(applied);
    });
  const token = (of: string): void =>
    once('token', of, async (id) => {
      const { state } = await needs.instruments.current(id);
      if (state.status === 'absent' || state.accountId !== accountId || isOther(state.vault?.customerId)) return;
      found.tokens.add(id);
      session(state.sessionId);
      if (state.claim !== undefined) payment(state.claim.paymentId);
      for (const applied of await needs.traces.notificationsAppliedTo(id)) found.notifications.add(applied);
    });
  const agreement = (of: string): void =>
    once('agreement', of, async (id) => {
      const { state } = await needs.agreements.current(id);
      if (state.status === 'absent' || state.accountId !== accountId || isOther(state.customerId)) return;
      found.agreements.add(id);
    });
  for (const { payments, sessions, tokens, agreements } of [
    await needs.traces.idsOfCustomer(accountId, customerId),
    ...ids,
  ]) {
    payments.forEach(payment);
    sessions.forEach(session);
    tokens.forEach(token);
    agreements.forEach(agreement);
  }
  while (waiting.length > 0) await someAtOnce(waiting.splice(0), (visit) => visit());
  for await (const { id, doc } of needs.traces.unapplied(accountId)) {
    const named = await namedIn(needs, doc);
    if (named.token !== undefined && found.tokens.has(named.token)) found.notifications.add(id);
    const { paymentId } = named;
    if (paymentId === undefined || !found.payments.has(paymentId)) continue;
    if (doc.status === 'discarded') found.notifications.add(id);
    else found.waitedFor.add(paymentId);
  }
  return found;
}

/** The payment, or the saved method, that a notification names. */
async function namedIn(
  needs: FindNeeds,
  record: Notification,
): Promise<{ readonly paymentId?: string | undefined; readonly token?: string | undefined }> {
  if (record.status === 'absent') return {};
  const { processor, connectionId, raw, item, accountId } = record;
  const told = needs.processors.get(processor)?.reread(raw)?.[item];
  if (told === undefined) return {};
  return 'subject' in told
    ? { paymentId: await namedPayment(needs, processor, told, accountId) }
    : { token: await needs.methodCalled(accountId, connectionId, told.about.processorToken) };
}

/** Streams and keys that are read at the same time: a customer may have thousands. */
const READS_AT_ONCE = 16;

/** The results of work on each item, in their order. */
export async function someAtOnce<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (let at = 0; at < items.length; at += READS_AT_ONCE)
    results.push(...(await Promise.all(items.slice(at, at + READS_AT_ONCE).map(work))));
  return results;
}

/** Whose keys an erasure destroys besides the customer's: what has keys of its own. */
export const subjectsOf = (found: CustomerStreams): readonly PersonalSubject[] =>
  [
    ...[...found.sessions].map((id) => `session ${id}`),
    ...[...found.payments].map((id) => `payment ${id}`),
    ...[...found.tokens].map((id) => `instrument ${id}`),
    ...[...found.notifications].map((id) => `notification ${id}`),
  ].map((otherwise) => ({ accountId: '', otherwise }));
