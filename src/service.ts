// The composition root: knows all the parts, none of the adapters; cli/ and the simulator hand those in.
import pLimit from 'p-limit';
import type { Adapters } from './adapters.ts';
import { makeAccess } from './commands/access/access.ts';
import { type CircuitLimits, defaultCircuit } from './commands/attempts/circuit.ts';
import { Circuits } from './commands/attempts/circuits.ts';
import { LOOK_UPS_AT_ONCE } from './commands/attempts/look-up-attempts.ts';
import { WatchedAttempts } from './commands/attempts/watched-attempts.ts';
import { CardTesting } from './commands/card-testing.ts';
import type { House } from './commands/house.ts';
import { makeInstruments } from './commands/instruments/instruments.ts';
import { AwaitedPayments } from './commands/notifications/awaited-payments.ts';
import { retryAwaited } from './commands/notifications/handle-notification.ts';
import type { NotificationNeeds } from './commands/notifications/needs.ts';
import { makeNotifications } from './commands/notifications/notifications.ts';
import { Operations } from './commands/operations.ts';
import { displaceSessionClaim } from './commands/payments/claims.ts';
import { makePayments } from './commands/payments/payments.ts';
import { ClientTokens } from './commands/sessions/client-tokens.ts';
import { makeSessions } from './commands/sessions/sessions.ts';
import { defaultTimings, type Timings } from './commands/timings.ts';
import { account } from './domain/account/state.ts';
import { apiKey } from './domain/api-key/state.ts';
import { clientSession } from './domain/client-session/state.ts';
import { customerWallet } from './domain/customer-wallet/state.ts';
import { idempotency } from './domain/idempotency/state.ts';
import { notification } from './domain/notification/state.ts';
import { payment } from './domain/payment/state.ts';
import { paymentInstrument } from './domain/payment-instrument/state.ts';
import type { BrokenStream } from './journal/broken-stream.ts';
import { FoldBudget } from './journal/fold-cache.ts';
import { foldSnapshotsOf } from './journal/fold-snapshots.ts';
import { openStoreStamp } from './journal/store-stamp.ts';
import { Streams } from './journal/streams.ts';
import { type PolicyNeeds, runPolicies } from './policies/run-all.ts';
import { nameOf } from './projections/engine/checkpoints.ts';
import { type EngineTimings, openProjections } from './projections/engine/engine.ts';
import { accounts } from './projections/models/accounts.ts';
import { allProjections } from './projections/models/all.ts';
import { ApiKeyUses } from './projections/models/api-key-uses.ts';
import { apiKeys } from './projections/models/api-keys.ts';
import { clientSessions } from './projections/models/client-sessions.ts';
import { customerWallets } from './projections/models/customer-wallets.ts';
import { notifications } from './projections/models/notifications.ts';
import { paymentInstruments } from './projections/models/payment-instruments.ts';
import { payments } from './projections/models/payments.ts';
import { makeQueries } from './queries/queries.ts';
import type { Secrets } from './secrets.ts';
import { Alarm } from './world.ts';

export interface ServiceOptions {
  readonly mode: 'test' | 'live';
  readonly secrets: Secrets;
  readonly timings?: Timings;
  /** The limits against card testing; they count on this node alone. */
  readonly cardTestingLimits?: boolean;
  /** When new operations are no longer begun at a processor that does not answer; it counts on this node alone. */
  readonly circuit?: CircuitLimits;
  readonly engineTimings?: EngineTimings;
}

export type Service = Awaited<ReturnType<typeof openService>>;

/** Opens the store's stamp and wires the parts. Nothing runs until `run`; rejects as openStoreStamp does. */
export async function openService(
  adapters: Adapters,
  { mode, secrets, timings = defaultTimings, engineTimings, cardTestingLimits = true, circuit = defaultCircuit }: ServiceOptions,
) {
  const { events, world, report, processors, observer } = adapters;
  const brokenStamps: BrokenStream[] = [];
  const storeKey = await openStoreStamp(events, world, secrets, mode, (one) => brokenStamps.push(one));
  const projections = await openProjections({
    events,
    readModels: adapters.readModels,
    world,
    report,
    observer,
    projections: allProjections,
    ...(engineTimings !== undefined && { timings: engineTimings }),
  });
  const { readModels, onFolded, broken } = projections;
  for (const one of brokenStamps) broken.found(one);
  const journal = { events, world, report, observer, broken, folds: new FoldBudget() };
  /** The fold is that of the read model, and so is its version. */
  const journalOf = ({ version }: { readonly version: number }) => ({
    ...journal,
    snapshots: foldSnapshotsOf({ readModels, storeKey, report }, version),
  });
  const tokens = new ClientTokens(secrets, mode);
  // Keys of idempotency are only ever read by the command that holds one: no read model.
  const operations = new Operations(new Streams(idempotency, journal, async () => undefined), storeKey, world, () =>
    projections.refusesWrites(),
  );
  const paymentFolded = onFolded(payments);
  const house: House = {
    accounts: new Streams(account, journalOf(accounts), onFolded(accounts)),
    apiKeys: new Streams(apiKey, journalOf(apiKeys), onFolded(apiKeys)),
    sessions: new Streams(clientSession, journalOf(clientSessions), onFolded(clientSessions)),
    payments: new Streams(payment, journalOf(payments), async (id, revision, state) => {
      await paymentFolded(id, revision, state);
      retryAwaited(notificationNeeds, id);
    }),
    instruments: new Streams(paymentInstrument, journalOf(paymentInstruments), onFolded(paymentInstruments)),
    wallets: new Streams(customerWallet, journalOf(customerWallets), onFolded(customerWallets)),
    notifications: new Streams(notification, journalOf(notifications), onFolded(notifications)),
    operations,
    tokens,
    secrets,
    storeKey,
    cardTesting: new CardTesting(cardTestingLimits, report, (limit) => observer?.limited(limit)),
    awaited: new AwaitedPayments(),
    watched: new WatchedAttempts(world),
    dueLookUps: pLimit(LOOK_UPS_AT_ONCE),
    circuits: new Circuits({ processors: processors.keys(), limits: circuit, world, report, observer }),
    mode,
    world,
    processors,
    timings,
    report,
  };
  const notificationNeeds: NotificationNeeds = {
    ...house,
    paymentCalled: async (accountId, processor, processorTransactionId) => {
      const where = { accountId: [accountId], processor: [processor], processorTransactionId: [processorTransactionId] };
      return (await readModels.find(payments, { where, limit: 1 }))[0]?.id;
    },
  };
  const uses = new ApiKeyUses(readModels);
  const keyDocuments = {
    peek: (keyId: string) => readModels.peek?.(apiKeys, keyId),
    read: async (keyId: string) => (await readModels.get(apiKeys, [keyId]))[0],
  };
  const alarm = new Alarm();
  const due = {
    readModels,
    nameOfLog: () => nameOf(events),
    alarm,
    isBuilt: (name: string) => projections.isBuilt(name),
    isWorkElsewhere: () => projections.isWorkElsewhere(),
  };
  const queries = makeQueries({ ...house, readModels });
  const subjects = {
    access: makeAccess({
      ...house,
      mayWrite: () => operations.mayWrite(),
      hasAccounts: queries.hasAccounts,
      keyDocuments,
      onKeyUsed: (keyId, at) => uses.used(keyId, at),
    }),
    sessions: makeSessions({ ...house, displaceSessionClaim: (id, context) => displaceSessionClaim(house, id, context) }),
    instruments: makeInstruments(house),
    payments: makePayments(house),
    notifications: makeNotifications(notificationNeeds),
    queries,
  };
  const { access, sessions, instruments } = subjects;
  const { circuits } = house;
  const work: PolicyNeeds = {
    ...sessions,
    ...instruments,
    ...subjects.payments,
    ...subjects.notifications,
    circuits,
    timings,
    world,
    report,
  };
  const run = async (signal: AbortSignal): Promise<void> => {
    await Promise.all([projections.run(signal), access.watchKeys(signal), uses.run(world, report, signal), runPolicies(work, due, signal)]);
  };
  return {
    ...subjects,
    house,
    /** What policies call. */
    work,
    circuits,
    mode,
    world,
    readModels,
    projections,
    readiness: () => {
      const readiness = projections.readiness();
      return { ...readiness, degraded: [...new Set([...access.refusedKeys(), ...readiness.degraded])] };
    },
    /** Follows the log and does due work until the signal aborts. */
    run,
    /** What is due is looked for now, and not after the usual pause: the business clock was moved. */
    lookAtOnce: () => alarm.ring(),
    ...subjects.access,
    ...subjects.sessions,
    ...subjects.instruments,
    ...subjects.payments,
    ...subjects.notifications,
    ...subjects.queries,
  };
}
