// Erases what a customer's personal data is in the log and the read models, by destroying the keys of the customer
// (contract §5, decision 162).
import type { DomainEvent } from '../../domain/category.ts';
import type { ClientSessionEvent } from '../../domain/client-session/events.ts';
import type { ClientSession } from '../../domain/client-session/state.ts';
import type { CustomerWalletEvent } from '../../domain/customer-wallet/events.ts';
import { type CustomerWallet, liveInstruments } from '../../domain/customer-wallet/state.ts';
import { type Decision, type Rejection, reject } from '../../domain/decider.ts';
import {
  eraseInstrument,
  eraseNotes,
  eraseNotification,
  erasePayment,
  eraseSession,
  eraseWallet,
} from '../../domain/erasure.ts';
import type { NotificationEvent } from '../../domain/notification/events.ts';
import type { Notification } from '../../domain/notification/state.ts';
import type { PaymentEvent } from '../../domain/payment/events.ts';
import type { Payment } from '../../domain/payment/payment.ts';
import { needsPerson } from '../../domain/payment/queries.ts';
import type { PaymentInstrumentEvent } from '../../domain/payment-instrument/events.ts';
import type { PaymentInstrument } from '../../domain/payment-instrument/state.ts';
import type { PaymentNoteEvent } from '../../domain/payment-note/events.ts';
import type { PaymentNotes } from '../../domain/payment-note/state.ts';
import { hasPersonal, type PersonalSubject } from '../../domain/personal.ts';
import type { Context } from '../../journal/context.ts';
import { personalKeyIn } from '../../journal/envelope.ts';
import type { PersonalKeys } from '../../journal/personal-keys.ts';
import type { Streams } from '../../journal/streams.ts';
import { transact } from '../../journal/transact.ts';
import type { StoreKey } from '../../secrets.ts';
import { newId, type World } from '../../world.ts';
import { type Caller, contextOf } from '../caller.ts';
import type { Instruments } from '../instruments/instruments.ts';
import { walletIdOf } from '../instruments/vault-instrument.ts';
import { notificationRecordId } from '../notifications/record-id.ts';

/** The ids of the streams of a customer, as the read models know them. */
export interface CustomerStreams {
  readonly payments: readonly string[];
  readonly sessions: readonly string[];
}

/** What holds the customer's data besides the log. */
export interface Traces {
  /** Documents that still show personal data of the customer, in words. */
  readonly documents: readonly string[];
  /** Files from which older texts were removed; undefined for a store whose files this process does not see. */
  readonly filesCleaned: number | undefined;
}

export interface EraseNeeds {
  readonly sessions: Streams<ClientSession, ClientSessionEvent>;
  readonly payments: Streams<Payment, PaymentEvent>;
  readonly paymentNotes: Streams<PaymentNotes, PaymentNoteEvent>;
  readonly instruments: Streams<PaymentInstrument, PaymentInstrumentEvent>;
  readonly wallets: Streams<CustomerWallet, CustomerWalletEvent>;
  readonly notifications: Streams<Notification, NotificationEvent>;
  readonly keys: PersonalKeys | undefined;
  readonly storeKey: StoreKey;
  readonly world: World;
  readonly mayWrite: () => Promise<void> | undefined;
  readonly deletePaymentInstrument: Instruments['deletePaymentInstrument'];
  readonly streamsOfCustomer: (accountId: string, customerId: string) => Promise<CustomerStreams>;
  readonly notificationsAppliedTo: (paymentId: string) => Promise<readonly string[]>;
  /** Removes older texts of documents, and looks for what is left. */
  readonly removeTraces: (accountId: string, customerId: string, streams: readonly string[]) => Promise<Traces>;
}

/** A payment that keeps its customer from being erased. */
export interface InTheWay {
  readonly paymentId: string;
  readonly because: NonNullable<ReturnType<typeof needsPerson>>;
}

export interface Erased {
  readonly kind: 'erased';
  readonly customerId: string;
  /** ms */
  readonly erasedAt: number;
  readonly payments: number;
  readonly sessions: number;
  /** Saved payment methods that were deleted by this call. */
  readonly instrumentsDeleted: number;
  /** Keys that were destroyed by this call. */
  readonly keysDestroyed: number;
  readonly traces: Traces;
}

export type ErasureAnswer = Erased | (Rejection & { readonly inTheWay?: readonly InTheWay[] });

/**
 * Runs every step again after a crash, so that the same call finishes; only the last step answers `erased`. Rejects
 * with NotFound, PaymentOperationInProgress and PaymentDisputed (`inTheWay` says which payments), OperationNotSupported
 * for data that an older version recorded plain. Throws StoreUnavailable.
 */
export const eraseCustomer =
  (needs: EraseNeeds) =>
  async (customerId: string, caller: Caller): Promise<ErasureAnswer> => {
    const { keys, world } = needs;
    if (keys === undefined)
      return reject('OperationNotSupported', 'This service keeps no keys of personal data, so it can erase none.');
    await needs.mayWrite();
    const context = contextOf(caller, newId(world, 'op'));
    const customer: PersonalSubject = { accountId: caller.accountId, customerId, otherwise: '' };
    const walletId = walletIdOf(needs.storeKey, caller.accountId, customerId);
    const streams = (): Promise<CustomerStreams> => needs.streamsOfCustomer(caller.accountId, customerId);
    const before = await streams();
    const isKnown = before.payments.length + before.sessions.length > 0;
    if (!isKnown && (await needs.wallets.current(walletId)).state.status === 'absent')
      return reject('NotFound', 'There is no such customer: no session, payment or saved payment method names the id.');

    const blocked = await inTheWay(needs, before.payments);
    if (blocked !== undefined) return blocked;

    const retired = await keys.retire(customer); // from here on new data of the customer has another key
    await keys.seenByAll();
    const known = await streams(); // with what was sent under the old key meanwhile
    const blockedSince = await inTheWay(needs, known.payments);
    if (blockedSince !== undefined) return blockedSince;
    const wallet = await needs.wallets.current(walletId);
    const found = await streamsWith(needs, known, wallet.state);
    const plain = await plainIn(needs, found, walletId);
    if (plain !== undefined) return plain;

    let instrumentsDeleted = 0;
    for (const { token } of liveInstruments(wallet.state)) {
      const deleted = await needs.deletePaymentInstrument(token, withoutKey(caller));
      if (deleted.kind === 'rejected') return deleted;
      instrumentsDeleted += 1;
    }
    const refused = await recordIn(needs, found, walletId, context);
    if (refused !== undefined) return refused;

    const others = await Promise.all(subjectsOf(found).map((subject) => keys.idsOf(subject)));
    const ids = [...new Set([...retired, ...others.flat()])];
    await keys.destroy(ids, context.at);
    await keys.seenByAll();
    const traces = await needs.removeTraces(caller.accountId, customerId, streamNames(needs, found, walletId));
    if (traces.documents.length > 0)
      return reject('Conflict', `Not erased yet: ${traces.documents.join(', ')}. Erase the customer again.`, {
        retryAfterSeconds: 5,
      });
    return {
      kind: 'erased',
      customerId,
      erasedAt: context.at,
      payments: found.payments.length,
      sessions: found.sessions.length,
      instrumentsDeleted,
      keysDestroyed: ids.length,
      traces,
    };
  };

interface ErasedStreams extends CustomerStreams {
  readonly tokens: readonly string[];
  readonly notifications: readonly string[];
}

/** The steps are repeated as a whole: none of them has a claim of its own. */
function withoutKey({ idempotency: _key, ...caller }: Caller): Caller {
  return caller;
}

async function inTheWay(needs: EraseNeeds, paymentIds: readonly string[]): Promise<ErasureAnswer | undefined> {
  const found: InTheWay[] = [];
  for (const paymentId of paymentIds) {
    const because = needsPerson((await needs.payments.current(paymentId)).state);
    if (because !== undefined) found.push({ paymentId, because });
  }
  const [first] = found;
  if (first === undefined) return undefined;
  const isDisputed = found.every(({ because }) => because === 'disputed');
  const words = { open: 'is open', disputed: 'is disputed', unresolved: 'waits for an operator' };
  const more = found.length === 1 ? '' : `, and ${found.length - 1} more are in the way`;
  const description = `The customer cannot be erased yet: payment ${first.paymentId} ${words[first.because]}${more}.`;
  const { paymentId } = first;
  const refused = isDisputed
    ? reject('PaymentDisputed', description, { paymentId })
    : reject('PaymentOperationInProgress', description, { paymentId, retryAfterSeconds: 60 });
  return { ...refused, inTheWay: found };
}

/** All streams of the customer: also the instruments that paid, and the notifications about its payments. */
async function streamsWith(needs: EraseNeeds, known: CustomerStreams, wallet: CustomerWallet): Promise<ErasedStreams> {
  const tokens = new Set(wallet.status === 'absent' ? [] : wallet.instruments.map(({ token }) => token));
  const sessions = new Set(known.sessions);
  const notifications = new Set<string>();
  for (const paymentId of known.payments) {
    for (const id of await needs.notificationsAppliedTo(paymentId)) notifications.add(id);
    for await (const { event, metadata } of needs.payments.history(paymentId, -1)) {
      if (event.type === 'PaymentCreated') {
        tokens.add(event.data.paymentMethod.paymentMethodToken);
        if (event.data.sessionId !== undefined) sessions.add(event.data.sessionId);
      }
      const evidence = 'evidence' in event.data ? event.data.evidence : undefined;
      if (evidence !== undefined && 'notificationId' in evidence && evidence.notificationId !== undefined)
        notifications.add(
          notificationRecordId(needs.storeKey, metadata.accountId, metadata.actor.id, evidence.notificationId),
        );
    }
  }
  return { payments: known.payments, sessions: [...sessions], tokens: [...tokens], notifications: [...notifications] };
}

/** The subjects besides the customer: sessions before the customer had an id, and what has keys of its own. */
const subjectsOf = ({ payments, sessions, tokens, notifications }: ErasedStreams): readonly PersonalSubject[] =>
  [
    ...sessions.map((id) => `session ${id}`),
    ...payments.map((id) => `payment ${id}`),
    ...tokens.map((id) => `instrument ${id}`),
    ...notifications.map((id) => `notification ${id}`),
  ].map((otherwise) => ({ accountId: '', otherwise }));

const streamNames = (needs: EraseNeeds, found: ErasedStreams, walletId: string): readonly string[] => [
  ...found.payments.flatMap((id) => [needs.payments.name(id), needs.paymentNotes.name(id)]),
  ...found.sessions.map((id) => needs.sessions.name(id)),
  ...found.tokens.map((id) => needs.instruments.name(id)),
  ...found.notifications.map((id) => needs.notifications.name(id)),
  needs.wallets.name(walletId),
];

/** The refusal if an event of an older version holds personal data that no key protects. */
async function plainIn(needs: EraseNeeds, found: ErasedStreams, walletId: string): Promise<Rejection | undefined> {
  const reads = [
    ...found.payments.flatMap((id) => [plainEvent(needs.payments, id), plainEvent(needs.paymentNotes, id)]),
    ...found.sessions.map((id) => plainEvent(needs.sessions, id)),
    ...found.tokens.map((id) => plainEvent(needs.instruments, id)),
    ...found.notifications.map((id) => plainEvent(needs.notifications, id)),
    plainEvent(needs.wallets, walletId),
  ];
  const [plain] = (await Promise.all(reads)).flatMap((one) => one ?? []);
  return plain === undefined
    ? undefined
    : reject(
        'OperationNotSupported',
        `The customer cannot be erased: ${plain} was recorded by a version that did not encrypt personal data, and the log is never changed.`,
      );
}

async function plainEvent<State extends object, Event extends DomainEvent>(
  streams: Streams<State, Event>,
  id: string,
): Promise<string | undefined> {
  const { personal } = streams.decider.category;
  for await (const stored of streams.stored(id, -1)) {
    const members = personal.get(stored.type);
    if (members === undefined || personalKeyIn(stored) !== undefined) continue;
    if (hasPersonal(JSON.parse(stored.data), members)) return `${stored.stream}@${stored.revision}`;
  }
  return undefined;
}

/** CustomerErased in each stream that holds something. */
async function recordIn(
  needs: EraseNeeds,
  found: ErasedStreams,
  walletId: string,
  context: Context,
): Promise<Rejection | undefined> {
  const { at } = context;
  const record = async <State extends object, Event extends DomainEvent>(
    streams: Streams<State, Event>,
    ids: readonly string[],
    decide: (state: State) => Decision<Event>,
  ): Promise<Rejection | undefined> => {
    for (const id of ids) {
      const done = await transact(streams, id, context, decide, { isFact: true });
      if (done.kind === 'rejected') return done;
    }
    return undefined;
  };
  return (
    (await record(needs.sessions, found.sessions, eraseSession(at))) ??
    (await record(needs.payments, found.payments, erasePayment(at))) ??
    (await record(needs.paymentNotes, found.payments, eraseNotes(at))) ??
    (await record(needs.notifications, found.notifications, eraseNotification(at))) ??
    (await record(needs.instruments, found.tokens, eraseInstrument(at))) ??
    record(needs.wallets, [walletId], eraseWallet(at))
  );
}
