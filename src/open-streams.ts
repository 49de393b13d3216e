// The streams of each category; those with a read model keep its fold, of its version.
import type { Adapters } from './adapters.ts';
import { account } from './domain/account.ts';
import { act } from './domain/act.ts';
import { agreement } from './domain/agreement/state.ts';
import { apiKey } from './domain/api-key.ts';
import { checkpoints } from './domain/checkpoint.ts';
import { clientSession } from './domain/client-session/state.ts';
import { connection } from './domain/connection.ts';
import { customerWallet } from './domain/customer-wallet.ts';
import { email } from './domain/email.ts';
import { idempotency } from './domain/idempotency.ts';
import { notification } from './domain/notification/state.ts';
import { payment } from './domain/payment/state.ts';
import { paymentInstrument } from './domain/payment-instrument/state.ts';
import { paymentNote } from './domain/payment-note.ts';
import { retryLedger } from './domain/retry-ledger/ledger.ts';
import { savedView } from './domain/saved-view.ts';
import { user } from './domain/user/state.ts';
import { webhookEndpoint } from './domain/webhook-endpoint.ts';
import { webhookQueue } from './domain/webhook-queue/state.ts';
import { FoldBudget } from './journal/fold-cache.ts';
import { foldSnapshotsOf } from './journal/fold-snapshots.ts';
import type { PersonalKeys } from './journal/personal-keys.ts';
import { Streams } from './journal/streams.ts';
import type { Projections } from './projections/engine/engine.ts';
import { accounts } from './projections/models/accounts.ts';
import { agreements } from './projections/models/agreements.ts';
import { apiKeys } from './projections/models/api-keys.ts';
import { clientSessions } from './projections/models/client-sessions.ts';
import { connections } from './projections/models/connections.ts';
import { customerWallets } from './projections/models/customer-wallets.ts';
import { notifications } from './projections/models/notifications.ts';
import { paymentInstruments } from './projections/models/payment-instruments.ts';
import { payments } from './projections/models/payments.ts';
import { users } from './projections/models/users.ts';
import { webhookEndpoints } from './projections/models/webhook-endpoints.ts';
import { webhookQueues } from './projections/models/webhook-queues.ts';
import type { StoreKey } from './secrets.ts';

/**
 * A separate budget for the folds of webhook queues: a payment has as many queues as its account has endpoints, and
 * each is soon over. In a shared budget, finished queues would take all memory, and evict payments and sessions.
 */
const QUEUE_CHARACTERS = 8 * 1024 * 1024;

interface StreamParts extends Pick<Adapters, 'events' | 'world' | 'report' | 'observer'> {
  /** Left out: personal data is recorded plain. */
  readonly keys?: PersonalKeys | undefined;
  readonly projections: Pick<Projections, 'readModels' | 'onFolded' | 'broken'>;
  readonly storeKey: StoreKey;
  /** A payment has news. Its document is written, unless the payment goes on (Decider). Never throws. */
  readonly onPayment: (paymentId: string) => void;
}

export function openStreams({ events, keys, world, report, observer, projections, storeKey, onPayment }: StreamParts) {
  const { readModels, onFolded, broken } = projections;
  const folds = new FoldBudget();
  keys?.onForget(() => folds.forget());
  const journal = { events, keys, world, report, observer, broken, folds };
  const journalOf = ({ version }: { readonly version: number }) => ({
    ...journal,
    snapshots: foldSnapshotsOf({ readModels, storeKey, report }, version),
  });
  const paymentFolded = onFolded(payments);
  return {
    accounts: new Streams(account, journalOf(accounts), onFolded(accounts)),
    apiKeys: new Streams(apiKey, journalOf(apiKeys), onFolded(apiKeys)),
    users: new Streams(user, journalOf(users), onFolded(users)),
    /** Sign-ins and invitations read it, and no page: no read model. */
    emails: new Streams(email, journal, async () => undefined),
    sessions: new Streams(clientSession, journalOf(clientSessions), onFolded(clientSessions)),
    agreements: new Streams(agreement, journalOf(agreements), onFolded(agreements)),
    /** Charges of agreements read them, and no page: no read model. */
    retryLedgers: new Streams(retryLedger, journal, async () => undefined),
    /** A message reports the payment as it was right after its event, which is often not its newest one. */
    payments: new Streams(payment, { ...journalOf(payments), keepsPast: true }, async (id, revision, state, goesOn) => {
      await paymentFolded(id, revision, state, goesOn);
      onPayment(id);
    }),
    /** A page reads those of one payment: no read model. */
    paymentNotes: new Streams(paymentNote, journal, async () => undefined),
    /** A page reads those of its account: no read model. */
    savedViews: new Streams(savedView, journal, async () => undefined),
    instruments: new Streams(paymentInstrument, journalOf(paymentInstruments), onFolded(paymentInstruments)),
    wallets: new Streams(customerWallet, journalOf(customerWallets), onFolded(customerWallets)),
    notifications: new Streams(notification, journalOf(notifications), onFolded(notifications)),
    connections: new Streams(connection, journalOf(connections), onFolded(connections)),
    /** One event each, and no command reads it again: no read model. */
    acts: new Streams(act, journal, async () => undefined),
    /** The next checkpoint needs the newest alone, and pages read the follower's list: no document of the fold. */
    checkpoints: new Streams(checkpoints, journal, async () => undefined),
    webhookEndpoints: new Streams(webhookEndpoint, journalOf(webhookEndpoints), onFolded(webhookEndpoints)),
    webhookQueues: new Streams(
      webhookQueue,
      { ...journalOf(webhookQueues), folds: new FoldBudget(QUEUE_CHARACTERS) },
      onFolded(webhookQueues),
    ),
    /** Only the command that holds a key ever reads its record: no read model. */
    idempotencyRecords: new Streams(idempotency, journal, async () => undefined),
  };
}
