// Where a customer's personal data is in the read models, and its removal after an erasure.
import type { CustomerStreams, Traces } from '../commands/customers/erase-customer.ts';
import { walletIdOf } from '../commands/instruments/vault-instrument.ts';
import type { ClientSession } from '../domain/client-session/state.ts';
import { eraseInstrument, eraseNotification, erasePayment, eraseSession, eraseWallet } from '../domain/erasure.ts';
import type { Notification } from '../domain/notification/state.ts';
import type { Payment } from '../domain/payment/payment.ts';
import { forgetSnapshots } from '../journal/fold-snapshots.ts';
import { PERSONAL_MODELS } from '../projections/models/all.ts';
import { type ClientSessionKey, clientSessions } from '../projections/models/client-sessions.ts';
import { customerWallets } from '../projections/models/customer-wallets.ts';
import { type CustomerKey, customerKey, customers, type KnownCustomer } from '../projections/models/customers.ts';
import { type NotificationKey, notifications } from '../projections/models/notifications.ts';
import { paymentInstruments } from '../projections/models/payment-instruments.ts';
import { type PaymentKey, payments } from '../projections/models/payments.ts';
import { searchedPayments } from '../projections/models/searched-payments.ts';
import type { StoreKey } from '../secrets.ts';
import type { Collection, ReadModels } from '../stores/read-models.ts';
import { categoryOf, idOf } from '../stores/stream-name.ts';
import type { World } from '../world.ts';
import { allOf } from './pages.ts';

export const streamsOfCustomer =
  (readModels: Pick<ReadModels, 'find'>) =>
  async (accountId: string, customerId: string): Promise<CustomerStreams> => {
    const where = { accountId: [accountId], customerId: [customerId] };
    const [paid, begun] = await Promise.all([
      idsOf(allOf<Payment, PaymentKey>(readModels, payments, { where, order: { by: 'date', descending: false } })),
      idsOf(
        allOf<ClientSession, ClientSessionKey>(readModels, clientSessions, {
          where,
          order: { by: 'createdAt', descending: false },
        }),
      ),
    ]);
    return { payments: paid, sessions: begun };
  };

/** The ids of the notifications that were applied to a payment, including those that repeated what was known. */
export const notificationsAppliedTo =
  (readModels: Pick<ReadModels, 'find'>) =>
  (paymentId: string): Promise<readonly string[]> =>
    idsOf(
      allOf<Notification, NotificationKey>(readModels, notifications, {
        where: { paymentId: [paymentId] },
        order: { by: 'paymentId', descending: false },
      }),
    );

async function idsOf(rows: AsyncIterable<{ readonly id: string }>): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of rows) ids.push(id);
  return ids;
}

interface TraceNeeds {
  readonly readModels: ReadModels;
  readonly projections: { removeOldTexts(names: readonly string[]): Promise<number | undefined> };
  readonly storeKey: StoreKey;
  readonly world: World;
}

/** How long the followers may take to clear the documents over many streams. */
const CLEARED_WITHIN_MS = 15_000;
const LOOK_EVERY_MS = 100;

/** Waits until no document shows the customer, then has earlier texts removed. `streams`: all of the customer. */
export const removeTraces =
  (needs: TraceNeeds) =>
  async (accountId: string, customerId: string, streams: readonly string[]): Promise<Traces> => {
    const { readModels, projections, world } = needs;
    await forgetSnapshots(readModels, streams);
    const deadline = world.monotonic() + CLEARED_WITHIN_MS;
    let documents = await documentsWith(needs, accountId, customerId, streams);
    while (documents.length > 0 && world.monotonic() < deadline) {
      await world.sleep(LOOK_EVERY_MS, new AbortController().signal);
      documents = await documentsWith(needs, accountId, customerId, streams);
    }
    return { documents, filesCleaned: documents.length > 0 ? 0 : await projections.removeOldTexts(PERSONAL_MODELS) };
  };

/** The documents that still show the customer, by read model and id. */
async function documentsWith(
  { readModels, storeKey }: TraceNeeds,
  accountId: string,
  customerId: string,
  streams: readonly string[],
): Promise<readonly string[]> {
  const idsIn = (category: string): readonly string[] =>
    streams.filter((stream) => categoryOf(stream) === category).map(idOf);
  const showing = async <Doc extends object, K extends string>(
    of: Collection<Doc, K>,
    ids: readonly string[],
    shows: (doc: Doc) => boolean,
  ): Promise<readonly string[]> => {
    const rows = ids.length === 0 ? [] : await readModels.get(of, ids);
    return rows.filter(({ doc }) => shows(doc)).map(({ id }) => `${of.name} ${id}`);
  };
  const isLeft = (decision: { readonly kind: string; readonly events?: readonly object[] }): boolean =>
    (decision.events?.length ?? 0) > 0;
  const paid = idsIn('payment');
  const found = await Promise.all([
    showing(clientSessions, idsIn('clientSession'), (doc) => isLeft(eraseSession(0)(doc))),
    showing(payments, paid, (doc) => isLeft(erasePayment(0)(doc))),
    showing(paymentInstruments, idsIn('paymentInstrument'), (doc) => isLeft(eraseInstrument(0)(doc))),
    showing(customerWallets, [walletIdOf(storeKey, accountId, customerId)], (doc) => isLeft(eraseWallet(0)(doc))),
    showing(notifications, idsIn('notification'), (doc) => isLeft(eraseNotification(0)(doc))),
    showing(searchedPayments, paid, ({ emailHash }) => emailHash !== undefined),
    showing<KnownCustomer, CustomerKey>(
      customers,
      [customerKey(accountId, customerId)],
      ({ name, emailAddress }) => name !== undefined || emailAddress !== undefined,
    ),
  ]);
  return found.flat();
}
