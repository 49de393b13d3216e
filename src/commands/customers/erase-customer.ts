// Erases what a customer's personal data is in the log and the read models, by destroying the keys of the customer
// (contract §5, decision 162).
import type { Act, ActEvent } from '../../domain/act.ts';
import type { DomainEvent } from '../../domain/category.ts';
import { type CustomerWallet, type CustomerWalletEvent, liveInstruments } from '../../domain/customer-wallet.ts';
import { type Decision, type Rejection, reject } from '../../domain/decider.ts';
import {
  eraseAgreement,
  eraseInstrument,
  eraseNotes,
  eraseNotification,
  erasePayment,
  eraseSession,
  eraseWallet,
} from '../../domain/erasure.ts';
import { needsPerson } from '../../domain/payment/queries.ts';
import type { PaymentNoteEvent, PaymentNotes } from '../../domain/payment-note.ts';
import { hasPersonal, type PersonalSubject } from '../../domain/personal.ts';
import type { Context } from '../../journal/context.ts';
import { recordDestruction } from '../../journal/destroyed-keys.ts';
import { personalKeyIn } from '../../journal/envelope.ts';
import type { PersonalKeys } from '../../journal/personal-keys.ts';
import type { Streams } from '../../journal/streams.ts';
import { transact } from '../../journal/transact.ts';
import type { StoredEvent } from '../../stores/event-store.ts';
import { categoryOf, idOf } from '../../stores/stream-name.ts';
import { newId, type World } from '../../world.ts';
import { type Caller, contextOf } from '../caller.ts';
import type { Instruments } from '../instruments/instruments.ts';
import { walletIdOf } from '../instruments/vault-instrument.ts';
import {
  type CustomerIds,
  type CustomerStreams,
  type FindNeeds,
  someAtOnce,
  streamsOfCustomer,
  subjectsOf,
} from './customer-streams.ts';

/** What holds the customer's data besides the log. */
export interface Traces {
  /** Documents that still show personal data of the customer: read model and id, and the stream that clears them. */
  readonly documents: readonly { readonly name: string; readonly stream: string }[];
  /** Files from which older texts were removed; undefined for a store whose files this process does not see. */
  readonly filesCleaned: number | undefined;
}

export interface EraseNeeds extends FindNeeds {
  readonly paymentNotes: Streams<PaymentNotes, PaymentNoteEvent>;
  readonly wallets: Streams<CustomerWallet, CustomerWalletEvent>;
  readonly acts: Streams<Act, ActEvent>;
  readonly keys: PersonalKeys | undefined;
  readonly world: World;
  readonly mayWrite: () => Promise<void> | undefined;
  readonly deletePaymentInstrument: Instruments['deletePaymentInstrument'];
  readonly traces: FindNeeds['traces'] & {
    /** Up to where the read models that know a customer's streams hold everything. */
    readonly knownUpTo: () => Promise<bigint>;
    /** The events after a position, to the end of the log, as the store has them. */
    readonly eventsAfter: (position: bigint, signal: AbortSignal) => AsyncIterable<StoredEvent>;
    /**
     * Removes older texts of documents and snapshots, and looks for what is left. `renewed`: streams whose documents
     * may show what the customer has sent since.
     */
    readonly remove: (
      accountId: string,
      customerId: string,
      of: {
        readonly streams: readonly string[];
        readonly renewed: ReadonlySet<string>;
      },
      signal: AbortSignal,
    ) => Promise<Traces>;
  };
}

/** A payment that keeps its customer from being erased. */
export interface InTheWay {
  readonly paymentId: string;
  /** `reported`: a notification that names it is not handled yet. */
  readonly because: NonNullable<ReturnType<typeof needsPerson>> | 'reported';
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

type RefusedErasure = Rejection & { readonly inTheWay?: readonly InTheWay[] };
export type ErasureAnswer = Erased | RefusedErasure;

/** How often all steps are taken while data comes under keys that are destroyed. */
const MOST_PASSES = 3;

/**
 * Runs every step again after a crash, so that the same call finishes; only the last step answers `erased`. Rejects
 * with NotFound, PaymentOperationInProgress and PaymentDisputed (`inTheWay` says which payments), OperationNotSupported
 * for data that an older version recorded plain, Conflict while data of the customer keeps coming. Throws
 * StoreUnavailable, and the signal's reason.
 */
export async function eraseCustomer(
  needs: EraseNeeds,
  customerId: string,
  caller: Caller,
  signal: AbortSignal = new AbortController().signal,
): Promise<ErasureAnswer> {
  const { keys } = needs;
  if (keys === undefined)
    return reject('OperationNotSupported', 'This service keeps no keys of personal data, so it can erase none.');
  await needs.mayWrite();
  const { accountId } = caller;
  const walletId = walletIdOf(needs.storeKey, accountId, customerId);
  const context = contextOf(caller, newId(needs.world, 'op'));
  const after = await needs.traces.knownUpTo();
  const found = await streamsOfCustomer(needs, accountId, customerId);
  const isKnown = found.payments.size + found.sessions.size + found.tokens.size > 0;
  const customer: PersonalSubject = { accountId, customerId, otherwise: '' };
  // a key is older than any document
  if (!isKnown && (await keys.idsOf(customer)).length === 0)
    return reject('NotFound', 'There is no such customer: no session, payment or saved payment method names the id.');
  const blocked = await inTheWay(needs, found);
  if (blocked !== undefined) return blocked;

  const erasing: Erasing = { keys, caller, context, customer, walletId, customerId, signal };
  const total = { keysDestroyed: 0, instrumentsDeleted: 0 };
  let left: Left = { after, late: new Set() };
  for (let pass = 0; pass < MOST_PASSES; pass += 1) {
    const done = await erasePass(needs, erasing, left);
    if (done.kind === 'rejected') return done;
    total.keysDestroyed += done.keysDestroyed;
    total.instrumentsDeleted += done.instrumentsDeleted;
    left = { after: done.end, late: done.shown };
    if (done.shown.size > 0 || (done.isHidden && pass === 0)) continue; // a customer may send without end
    const streams = streamNames(needs, done.found, walletId);
    const { renewed } = done;
    const traces = await needs.traces.remove(accountId, customerId, { streams, renewed }, signal);
    if (traces.documents.length === 0) {
      const { payments, sessions } = done.found;
      const counts = { payments: payments.size, sessions: sessions.size, ...total };
      return { kind: 'erased', customerId, erasedAt: context.at, ...counts, traces };
    }
    left = { after: done.end, late: new Set(traces.documents.map(({ stream }) => stream)) };
  }
  return reject(
    'Conflict',
    `Not erased yet: ${[...left.late].join(', ')} changes meanwhile. Erase the customer again.`,
    {
      retryAfterSeconds: 5,
    },
  );
}

interface Erasing {
  readonly keys: PersonalKeys;
  readonly caller: Caller;
  readonly context: Context;
  readonly customer: PersonalSubject;
  readonly walletId: string;
  readonly customerId: string;
  readonly signal: AbortSignal;
}

/** What a pass has left for the next one. */
interface Left {
  /** The position after which the log may have events of streams that no read model knows. */
  readonly after: bigint;
  /** Streams with events that came under a destroyed key, or whose documents show what the log no longer does. */
  readonly late: ReadonlySet<string>;
}

interface Pass extends SentSince {
  readonly kind: 'passed';
  readonly found: CustomerStreams;
  readonly keysDestroyed: number;
  readonly instrumentsDeleted: number;
}

async function erasePass(
  needs: EraseNeeds,
  erasing: Erasing,
  { after, late: lateBefore }: Left,
): Promise<Pass | RefusedErasure> {
  const { keys, caller, context, customer, walletId, customerId, signal } = erasing;
  const { accountId } = caller;
  const retired = await keys.retire(customer); // from here on new data of the customer has another key
  await keys.seenByAll(signal);
  const ids = new Set(retired?.ids);
  const used = { ids, successor: retired?.successor };
  /** Those of streams that are the customer's: of another one may be there what only shared a key. */
  const itsOwn = async (streams: ReadonlySet<string>): Promise<readonly string[]> =>
    streamNames(needs, await streamsOfCustomer(needs, accountId, customerId, [idsIn(streams)]), walletId).filter(
      (stream) => streams.has(stream),
    );
  const sent = await sentAfter(needs, used, after, signal); // also what no read model has yet
  const found = await streamsOfCustomer(needs, accountId, customerId, [idsIn(sent.shown), idsIn(lateBefore)]);
  const blocked = await inTheWay(needs, found);
  if (blocked !== undefined) return blocked;
  const plain = await plainIn(needs, found, walletId);
  if (plain !== undefined) return plain;

  let instrumentsDeleted = 0;
  for (const token of await savedTokens(needs, found, walletId)) {
    const deleted = await needs.deletePaymentInstrument(token, withoutKey(caller));
    if (deleted.kind === 'rejected') return deleted;
    instrumentsDeleted += 1;
  }
  const refused = await recordIn(needs, found, walletId, context, lateBefore);
  if (refused !== undefined) return refused;

  const others = await someAtOnce(subjectsOf(found), (subject) => keys.idsOf(subject));
  for (const id of others.flat()) ids.add(id);
  await recordDestruction(needs.acts, needs.world, context, [...ids], 'erasure');
  await keys.destroy([...ids], context.at);
  await keys.seenByAll(signal);
  const since = await sentAfter(needs, used, after, signal);
  const late = since.shown.size === 0 ? [] : await itsOwn(since.shown);
  return { kind: 'passed', found, keysDestroyed: ids.size, instrumentsDeleted, ...since, shown: new Set(late) };
}

/** What the log has after a position. */
interface SentSince {
  /** Streams with events under destroyed keys after which no erasure came. */
  readonly shown: ReadonlySet<string>;
  /** Streams with events under the customer's new key after which no erasure came: the customer has returned. */
  readonly renewed: ReadonlySet<string>;
  /** An erasure came after an event under the customer's new key: no fold shows it, but its key can still be used. */
  readonly isHidden: boolean;
  /** The position of the last event that was read. */
  readonly end: bigint;
}

async function sentAfter(
  { traces }: EraseNeeds,
  { ids, successor }: { readonly ids: ReadonlySet<string>; readonly successor: string | undefined },
  after: bigint,
  signal: AbortSignal,
): Promise<SentSince> {
  const shown = new Set<string>();
  const renewed = new Set<string>();
  let [end, isHidden] = [after, false];
  for await (const stored of traces.eventsAfter(after, signal)) {
    end = BigInt(stored.position);
    const key = personalKeyIn(stored);
    if (key !== undefined && ids.has(key)) shown.add(stored.stream);
    if (key !== undefined && key === successor) renewed.add(stored.stream);
    if (stored.type !== 'CustomerErased') continue;
    shown.delete(stored.stream);
    isHidden = renewed.delete(stored.stream) || isHidden;
  }
  return { shown, renewed, isHidden, end };
}

/** The ids of streams by what they are of; a wallet is known by the customer. */
function idsIn(streams: ReadonlySet<string>): CustomerIds {
  const of = (...categories: readonly string[]): readonly string[] =>
    [...streams].filter((stream) => categories.includes(categoryOf(stream))).map(idOf);
  return {
    payments: of('payment', 'paymentNote'),
    sessions: of('clientSession'),
    tokens: of('paymentInstrument'),
    agreements: of('agreement'),
  };
}

/** The saved payment methods that can be used, or will be: a crash may have left one on its way into the wallet. */
async function savedTokens(needs: EraseNeeds, found: CustomerStreams, walletId: string): Promise<ReadonlySet<string>> {
  const wallet = await needs.wallets.current(walletId);
  const saved = new Set(liveInstruments(wallet.state).map(({ token }) => token));
  for (const token of found.tokens) {
    const { status } = (await needs.instruments.current(token)).state;
    if (status === 'vaulting' || status === 'vaulted') saved.add(token);
  }
  return saved;
}

/** The steps are repeated as a whole: none of them has a claim of its own. */
function withoutKey({ idempotency: _key, ...caller }: Caller): Caller {
  return caller;
}

async function inTheWay(
  needs: EraseNeeds,
  { payments, waitedFor }: CustomerStreams,
): Promise<RefusedErasure | undefined> {
  const found: InTheWay[] = [];
  for (const paymentId of payments) {
    const because =
      needsPerson((await needs.payments.current(paymentId)).state) ??
      (waitedFor.has(paymentId) ? 'reported' : undefined);
    if (because !== undefined) found.push({ paymentId, because });
  }
  const [first] = found;
  if (first === undefined) return undefined;
  const isDisputed = found.every(({ because }) => because === 'disputed');
  const words = {
    open: 'is open',
    disputed: 'is disputed',
    unresolved: 'waits for an operator',
    reported: 'has a notification that is parked or not handled yet',
  };
  const more = found.length === 1 ? '' : `, and ${found.length - 1} more are in the way`;
  const description = `The customer cannot be erased yet: payment ${first.paymentId} ${words[first.because]}${more}.`;
  const { paymentId } = first;
  const refused = isDisputed
    ? reject('PaymentDisputed', description, { paymentId })
    : reject('PaymentOperationInProgress', description, { paymentId, retryAfterSeconds: 60 });
  return { ...refused, inTheWay: found };
}

const streamNames = (needs: EraseNeeds, found: CustomerStreams, walletId: string): readonly string[] => [
  ...[...found.payments].flatMap((id) => [needs.payments.name(id), needs.paymentNotes.name(id)]),
  ...[...found.sessions].map((id) => needs.sessions.name(id)),
  ...[...found.tokens].map((id) => needs.instruments.name(id)),
  ...[...found.agreements].map((id) => needs.agreements.name(id)),
  ...[...found.notifications].map((id) => needs.notifications.name(id)),
  needs.wallets.name(walletId),
];

/** The refusal if an event of an older version holds personal data that no key protects. */
async function plainIn(needs: EraseNeeds, found: CustomerStreams, walletId: string): Promise<Rejection | undefined> {
  const reads = [
    ...[...found.payments].flatMap((id) => [
      () => plainEvent(needs.payments, id),
      () => plainEvent(needs.paymentNotes, id),
    ]),
    ...[...found.sessions].map((id) => () => plainEvent(needs.sessions, id)),
    ...[...found.tokens].map((id) => () => plainEvent(needs.instruments, id)),
    ...[...found.agreements].map((id) => () => plainEvent(needs.agreements, id)),
    ...[...found.notifications].map((id) => () => plainEvent(needs.notifications, id)),
    () => plainEvent(needs.wallets, walletId),
  ];
  const [plain] = (await someAtOnce(reads, (read) => read())).flatMap((one) => one ?? []);
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

/**
 * CustomerErased in each stream that holds something. `late`: in these also where the log shows nothing, because their
 * documents may have been written before the key was destroyed.
 */
async function recordIn(
  needs: EraseNeeds,
  found: CustomerStreams,
  walletId: string,
  context: Context,
  late: ReadonlySet<string>,
): Promise<Rejection | undefined> {
  const { at } = context;
  const record = async <State extends object, Event extends DomainEvent>(
    streams: Streams<State, Event>,
    ids: Iterable<string>,
    decide: (at: number, isLate: boolean) => (state: State) => Decision<Event>,
  ): Promise<Rejection | undefined> => {
    for (const id of ids) {
      const decided = decide(at, late.has(streams.name(id)));
      const done = await transact(streams, id, context, decided, { isFact: true });
      if (done.kind === 'rejected') return done;
    }
    return undefined;
  };
  return (
    (await record(needs.sessions, found.sessions, eraseSession)) ??
    (await record(needs.payments, found.payments, erasePayment)) ??
    (await record(needs.paymentNotes, found.payments, eraseNotes)) ??
    (await record(needs.notifications, found.notifications, eraseNotification)) ??
    (await record(needs.instruments, found.tokens, eraseInstrument)) ??
    (await record(needs.agreements, found.agreements, eraseAgreement)) ??
    record(needs.wallets, [walletId], eraseWallet)
  );
}
