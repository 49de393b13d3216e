// Where a customer's personal data is in the read models and in the newest part of the log, and its removal after an
// erasure.
import type { CustomerIds, FindNeeds } from '../commands/customers/customer-streams.ts';
import type { EraseNeeds, Traces } from '../commands/customers/erase-customer.ts';
import type { Agreement } from '../domain/agreement/state.ts';
import type { ClientSession } from '../domain/client-session/state.ts';
import {
  eraseAgreement,
  eraseInstrument,
  eraseNotification,
  erasePayment,
  eraseSession,
  eraseWallet,
} from '../domain/erasure.ts';
import type { Notification } from '../domain/notification/state.ts';
import type { Payment } from '../domain/payment/payment.ts';
import type { PaymentInstrument } from '../domain/payment-instrument/state.ts';
import { forgetSnapshots } from '../journal/fold-snapshots.ts';
import { readLog } from '../journal/read-log.ts';
import type { Projections } from '../projections/engine/engine.ts';
import { type AgreementKey, agreements } from '../projections/models/agreements.ts';
import { PERSONAL_MODELS } from '../projections/models/all.ts';
import { type ClientSessionKey, clientSessions } from '../projections/models/client-sessions.ts';
import { customerWallets } from '../projections/models/customer-wallets.ts';
import { type CustomerKey, customerKey, customers, type KnownCustomer } from '../projections/models/customers.ts';
import { type NotificationKey, notifications } from '../projections/models/notifications.ts';
import { type PaymentInstrumentKey, paymentInstruments } from '../projections/models/payment-instruments.ts';
import { type PaymentKey, payments } from '../projections/models/payments.ts';
import { searchedPayments } from '../projections/models/searched-payments.ts';
import type { EventStore } from '../stores/event-store.ts';
import type { Collection, ReadModels, Stored } from '../stores/read-models.ts';
import { categoryOf, idOf } from '../stores/stream-name.ts';
import type { World } from '../world.ts';
import { allOf } from './pages.ts';

/** The read models in which the streams of a customer are looked up. */
const LOOKED_UP: readonly string[] = [clientSessions, payments, paymentInstruments, agreements, notifications].map(
  ({ name }) => name,
);

export const customerFinds = (readModels: Pick<ReadModels, 'find'>): FindNeeds['traces'] => ({
  idsOfCustomer: (accountId, customerId) => idsOfCustomer(readModels, accountId, customerId),
  tokensOfSession: (sessionId) =>
    idsOf(
      allOf<PaymentInstrument, PaymentInstrumentKey>(readModels, paymentInstruments, {
        where: { sessionId: [sessionId] },
        order: { by: 'sessionId', descending: false },
      }),
    ),
  // including those that repeated what was known
  notificationsAppliedTo: (id) =>
    idsOf(
      allOf<Notification, NotificationKey>(readModels, notifications, {
        where: { appliedTo: [id] },
        order: { by: 'appliedTo', descending: false },
      }),
    ),
  unapplied: (accountId) =>
    allOf<Notification, NotificationKey>(readModels, notifications, {
      where: { accountId: [accountId] },
      order: { by: 'accountId', descending: false },
    }),
});

export const customerTraces = (needs: TraceNeeds): EraseNeeds['traces'] => {
  const { readModels, projections, events } = needs;
  return {
    ...customerFinds(readModels),
    async knownUpTo() {
      const positions = await projections.positions();
      return LOOKED_UP.map((name) => positions.get(name) ?? -1n).reduce((least, one) => (one < least ? one : least));
    },
    async *eventsAfter(after, signal) {
      const part = { after, to: await events.head(), categories: [] };
      for await (const batch of readLog(events, part, signal)) yield* batch.events;
    },
    async remove(accountId, customerId, { streams, renewed }, signal) {
      await forgetSnapshots(readModels, streams);
      const customer = {
        accountId,
        customerId,
        hasPaidSince: [...renewed].some((one) => categoryOf(one) === 'payment'),
      };
      const cleared = streams.filter((stream) => !renewed.has(stream));
      return removeTraces(needs, customer, cleared, signal);
    },
  };
};

async function idsOfCustomer(
  readModels: Pick<ReadModels, 'find'>,
  accountId: string,
  customerId: string,
): Promise<CustomerIds> {
  const account = { accountId: [accountId] };
  const where = { ...account, customerId: [customerId] };
  const sessionsBy = (query: Parameters<typeof allOf<ClientSession, ClientSessionKey>>[2]) =>
    allOf<ClientSession, ClientSessionKey>(readModels, clientSessions, query);
  const [paid, begun, left, leftEarlier, saved, agreed] = await Promise.all([
    idsOf(allOf<Payment, PaymentKey>(readModels, payments, { where, order: { by: 'date', descending: false } })),
    idsOf(sessionsBy({ where, order: { by: 'createdAt', descending: false } })),
    idsOf(
      sessionsBy({
        where: { ...account, customerBefore: [customerId] },
        order: { by: 'customerBefore', descending: false },
      }),
    ),
    idsOf(
      sessionsBy({ where: account, order: { by: 'customersBeforeAt', descending: false } }),
      (session) => session.status !== 'absent' && session.customersBefore?.includes(customerId) === true,
    ),
    idsOf(
      allOf<PaymentInstrument, PaymentInstrumentKey>(readModels, paymentInstruments, {
        where,
        order: { by: 'customerId', descending: false },
      }),
    ),
    idsOf(
      allOf<Agreement, AgreementKey>(readModels, agreements, { where, order: { by: 'createdAt', descending: false } }),
    ),
  ]);
  return { payments: paid, sessions: [...begun, ...left, ...leftEarlier], tokens: saved, agreements: agreed };
}

async function idsOf<Doc extends object>(
  rows: AsyncIterable<Stored<Doc>>,
  isWanted: (doc: Doc) => boolean = () => true,
): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id, doc } of rows) if (isWanted(doc)) ids.push(id);
  return ids;
}

interface TraceNeeds {
  readonly readModels: ReadModels;
  readonly projections: Pick<Projections, 'removeOldTexts' | 'positions'>;
  /** As they are stored: without keys. */
  readonly events: Pick<EventStore, 'follow' | 'head'>;
  readonly world: World;
}

/** How long the followers may take to clear the documents over many streams. */
const CLEARED_WITHIN_MS = 15_000;
const LOOK_EVERY_MS = 100;

/** Waits until no document shows the customer, then has earlier texts removed. `streams`: all of the customer. */
interface LookedFor {
  readonly accountId: string;
  readonly customerId: string;
  /** Its document has the name that the newest payment gave. */
  readonly hasPaidSince: boolean;
}

async function removeTraces(
  needs: TraceNeeds,
  customer: LookedFor,
  streams: readonly string[],
  signal: AbortSignal,
): Promise<Traces> {
  const { projections, world } = needs;
  const deadline = world.monotonic() + CLEARED_WITHIN_MS;
  let documents = await documentsWith(needs, customer, streams);
  while (documents.length > 0 && world.monotonic() < deadline) {
    await world.sleep(LOOK_EVERY_MS, signal);
    documents = await documentsWith(needs, customer, streams);
  }
  return { documents, filesCleaned: documents.length > 0 ? 0 : await projections.removeOldTexts(PERSONAL_MODELS) };
}

/** The documents that still show the customer. */
async function documentsWith(
  { readModels }: TraceNeeds,
  { accountId, customerId, hasPaidSince }: LookedFor,
  streams: readonly string[],
): Promise<Traces['documents']> {
  const showing = async <Doc extends object, K extends string>(
    of: Collection<Doc, K>,
    byStream: readonly (readonly [id: string, stream: string])[],
    shows: (doc: Doc) => boolean,
  ): Promise<Traces['documents']> => {
    const streamOf = new Map(byStream);
    const rows = byStream.length === 0 ? [] : await readModels.get(of, [...streamOf.keys()]);
    return rows
      .filter(({ doc }) => shows(doc))
      .map(({ id }) => ({ name: `${of.name} ${id}`, stream: streamOf.get(id) ?? '' }));
  };
  const of = (category: string): readonly (readonly [string, string])[] =>
    streams.filter((stream) => categoryOf(stream) === category).map((stream) => [idOf(stream), stream]);
  const isLeft = (decision: { readonly kind: string; readonly events?: readonly object[] }): boolean =>
    (decision.events?.length ?? 0) > 0;
  const paid = of('payment');
  const [[, anyPayment = ''] = []] = paid;
  const found = await Promise.all([
    showing(clientSessions, of('clientSession'), (doc) => isLeft(eraseSession(0)(doc))),
    showing(payments, paid, (doc) => isLeft(erasePayment(0)(doc))),
    showing(paymentInstruments, of('paymentInstrument'), (doc) => isLeft(eraseInstrument(0)(doc))),
    showing(agreements, of('agreement'), (doc) => isLeft(eraseAgreement(0)(doc))),
    showing(customerWallets, of('customerWallet'), (doc) => isLeft(eraseWallet(0)(doc))),
    showing(notifications, of('notification'), (doc) => isLeft(eraseNotification(0)(doc))),
    showing(searchedPayments, paid, ({ emailHash }) => emailHash !== undefined),
    showing<KnownCustomer, CustomerKey>(
      customers,
      hasPaidSince ? [] : [[customerKey(accountId, customerId), anyPayment]],
      ({ name, emailAddress }) => name !== undefined || emailAddress !== undefined,
    ),
  ]);
  return found.flat();
}
