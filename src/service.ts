// The composition root: builds each subject from what it needs, and knows none of the adapters; cli/ and the simulator
// hand those in.
import type { Adapters } from './adapters.ts';
import { makeAudit } from './audit/audit.ts';
import { makeCheckpoint } from './audit/next-checkpoint.ts';
import { makeAccess } from './commands/access/access.ts';
import { recordAct } from './commands/acts/record-act.ts';
import { makeAgreements } from './commands/agreements/agreements.ts';
import { bind } from './commands/bind.ts';
import type { Caller } from './commands/caller.ts';
import { AccountConnections } from './commands/connections/connections.ts';
import {
  addConnection,
  type ConnectionNeeds,
  canUseReference,
  disable,
  examineConnection,
  type NewConnection,
  recordRun,
  rotateConnection,
} from './commands/connections/manage-connections.ts';
import { readRules, routableConnections, setRouting } from './commands/connections/manage-routing.ts';
import { type SecretOf, UnresolvedSecret } from './commands/connections/secret-reference.ts';
import { eraseCustomer } from './commands/customers/erase-customer.ts';
import { Idempotency } from './commands/idempotency.ts';
import { makeInstruments } from './commands/instruments/instruments.ts';
import { CardTesting } from './commands/limits/card-testing.ts';
import { type CircuitLimits, defaultCircuit } from './commands/limits/circuit.ts';
import { Circuits } from './commands/limits/circuits.ts';
import type { SharedLimits } from './commands/limits/permits.ts';
import { makeNotifications } from './commands/notifications/notifications.ts';
import { defaultTimings, type Timings } from './commands/payment-timings.ts';
import { makeNotes } from './commands/payments/payment-notes.ts';
import { makePayments } from './commands/payments/payments.ts';
import { ClientTokens } from './commands/sessions/client-tokens.ts';
import { makePaymentLinks } from './commands/sessions/payment-link.ts';
import { makeSessions } from './commands/sessions/sessions.ts';
import { machineTime } from './commands/users/machine-time.ts';
import { Passwords } from './commands/users/passwords.ts';
import { SignInLimits } from './commands/users/sign-in-limits.ts';
import { makeUsers } from './commands/users/users.ts';
import { makeViews } from './commands/views/saved-views.ts';
import { ANSWER_WITHIN_MS, RECORD_WITHIN_MS, RECORDED_TOGETHER } from './commands/webhooks/deliver-messages.ts';
import type { Post } from './commands/webhooks/post.ts';
import { makeWebhooks } from './commands/webhooks/webhooks.ts';
import { Deadlines } from './deadlines.ts';
import { agreementMessageAnswer, checkpointMessageAnswer, paymentMessageAnswer } from './http/answers/messages.ts';
import { PersonalKeys, withKeys } from './journal/personal-keys.ts';
import { checkKeyStore, openStoreStamp } from './journal/store-stamp.ts';
import { openStreams } from './open-streams.ts';
import { WantedLanes } from './policies/deliver-webhooks.ts';
import { type KeptDays, keptMsBy } from './policies/leave-after-days.ts';
import { endpointBegins } from './policies/queue-webhooks.ts';
import { type PolicyNeeds, runPolicies } from './policies/run-all.ts';
import { openProjections } from './projections/engine/engine.ts';
import { nameOf } from './projections/engine/generations/checkpoints.ts';
import { inWords } from './projections/engine/health/not-moving.ts';
import type { EngineTimings } from './projections/engine/timings.ts';
import { projectionsWith } from './projections/models/all.ts';
import { ApiKeyUses } from './projections/models/api-key-uses.ts';
import { RequestLog } from './projections/models/request-log.ts';
import { SessionUses } from './projections/models/session-uses.ts';
import { foldModuleWith } from './projections/threads/fold-module.ts';
import { keyDocuments, listConnections, readRoutings } from './queries/accounts.ts';
import { customerTraces } from './queries/customer-traces.ts';
import { makeQueries } from './queries/queries.ts';
import { countEndpoints } from './queries/webhook-endpoints.ts';
import type { Secrets } from './secrets.ts';
import type { BrokenStream } from './stores/broken-stream.ts';
import { StoreUnavailable } from './stores/store-unavailable.ts';
import { Alarm, sharedPause } from './world.ts';

export interface ServiceOptions {
  readonly mode: 'test' | 'live';
  readonly secrets: Secrets;
  readonly timings?: Timings;
  /** Of calls to processors, in place of `timings.answerWithinMs` each: tests end those that hang. */
  readonly deadlines?: Deadlines;
  /** Calls merchants' receivers. */
  readonly post: Post;
  /**
   * Whether they may be called at an address; left out: at any. A look at the URL that is added: `post` looks at each
   * call.
   */
  readonly isAllowedAddress?: (address: string) => boolean;
  /** The limits against card testing; they count on this node alone. */
  readonly cardTestingLimits?: boolean;
  /** The limits on sign-ins that fail; they count on this node alone. */
  readonly signInLimits?: boolean;
  /** The counts that the workers of one service share. */
  readonly sharedLimits?: Pick<SharedLimits, 'counters' | 'cardTesting'> | undefined;
  /**
   * Under which browsers reach the service; asked for each time, because it may be known only when the service listens.
   */
  readonly publicUrl: () => string;
  /** When new operations are no longer begun at a processor that does not answer; it counts in this process alone. */
  readonly circuit?: CircuitLimits;
  readonly engineTimings?: EngineTimings;
  /** Reads what references to secrets of connections name; without it no connection can be used. */
  readonly secretOf?: SecretOf;
  /** How often a checkpoint of the log is recorded, ms; undefined: never. */
  readonly checkpointEveryMs?: number | undefined;
  /** How long what is over stays in the read models; without it for ever. */
  readonly keptDays?: KeptDays | undefined;
  /** How long an idempotency key is kept; without it as long as the API promises. */
  readonly idempotencyDays?: number | undefined;
  /** Ends an opening that builds read models. */
  readonly signal?: AbortSignal | undefined;
  /** The simulator breaks payments on purpose, and tests move the clocks of their look-ups. */
  readonly paymentsOf?: typeof makePayments;
  /** The simulator breaks webhooks on purpose. */
  readonly webhooksOf?: typeof makeWebhooks;
}

export type Service = Awaited<ReturnType<typeof openService>>;

/**
 * Opens the store's stamp and wires the subjects. Nothing runs until `run`; rejects as openStoreStamp does, and with
 * the signal's reason.
 */
export async function openService(adapters: Adapters, options: ServiceOptions) {
  const {
    mode,
    secrets,
    post,
    isAllowedAddress = () => true,
    timings = defaultTimings,
    cardTestingLimits = true,
    signInLimits = true,
    sharedLimits,
    circuit = defaultCircuit,
    engineTimings,
    checkpointEveryMs,
    keptDays = {},
    idempotencyDays,
    signal,
    publicUrl,
    secretOf = noSecrets,
  } = options;
  const { world, report, observer, openable = new Map() } = adapters;
  const processors = new Map(adapters.processors);

  const brokenStamps: BrokenStream[] = [];
  const storeKey = await openStoreStamp(adapters.events, world, secrets, mode, (one) => brokenStamps.push(one));
  const keys = adapters.keys && new PersonalKeys({ store: adapters.keys, secrets, storeKey, world });
  await checkKeyStore(adapters.events, world, keys);
  const events = keys === undefined ? adapters.events : withKeys(adapters.events, keys);
  const engine = {
    ...adapters,
    events,
    projections: projectionsWith(storeKey),
    foldModule: foldModuleWith(storeKey),
    keptMs: keptMsBy(keptDays),
    signal,
    ...(engineTimings !== undefined && { timings: engineTimings }),
  };
  const projections = await openProjections(engine);
  for (const one of brokenStamps) projections.broken.found(one);
  const { readModels } = projections;
  const streams = openStreams({
    ...adapters,
    events,
    keys,
    projections,
    storeKey,
    onPayment: (id) => notifications.retryAwaited(id),
  });

  const connections = new AccountConnections({
    ...streams,
    processors,
    openable,
    secretOf,
    mode,
    world,
    report,
    list: (query) => listConnections(readModels, query),
    routings: () => readRoutings(readModels),
  });
  // while a read model is missing, `run` looks again
  if (openable.size > 0) await connections.look().catch(unlessUnavailable(report));
  const { deadlines = new Deadlines(world, timings.answerWithinMs) } = options;
  const node = { processors, connections, timings, world, report, deadlines };
  const mayWrite = (): Promise<void> | undefined => projections.mayWrite();
  const idempotency = new Idempotency({
    records: streams.idempotencyRecords,
    storeKey,
    world,
    mayWrite,
    keptDays: idempotencyDays,
  });
  const tokens = new ClientTokens(secrets, mode);
  const circuits = new Circuits({ implied: adapters.processors.keys(), limits: circuit, world, report, observer });
  const cardTesting = new CardTesting(
    cardTestingLimits,
    report,
    (limit) => observer?.limited(limit),
    sharedLimits?.cardTesting,
  );
  const keyUses = new ApiKeyUses(readModels);
  const requestLog = new RequestLog(readModels, world);

  const queries = makeQueries({ ...streams, readModels, tokens, storeKey, processors });
  const { hasAccounts, operatesStore, paymentCalled, methodCalled, agreementsCharging } = queries;
  const passwords = new Passwords(storeKey, world);
  const sessionUses = new SessionUses(readModels);
  const limits = new SignInLimits(signInLimits, sharedLimits?.counters);
  const users = makeUsers({
    ...streams,
    world,
    report,
    secrets,
    storeKey,
    mode,
    idempotency,
    mayWrite,
    passwords,
    limits,
    sessionUses,
  });
  const userOf = users.sessionHolder;
  const asked = { hasAccounts, operatesStore, userOf };
  const access = makeAccess({
    ...streams,
    ...node,
    keyDocuments: keyDocuments(readModels),
    keyUses,
    ...asked,
    idempotency,
    secrets,
    storeKey,
    mode,
    tokens,
    mayWrite,
  });
  const instruments = makeInstruments({ ...streams, ...node, idempotency, storeKey, circuits, cardTesting });
  const customers = bind(
    {
      ...streams,
      keys,
      storeKey,
      world,
      mayWrite,
      deletePaymentInstrument: instruments.deletePaymentInstrument,
      processors,
      paymentCalled,
      methodCalled,
      traces: customerTraces({ readModels, projections, events: adapters.events, world }),
    },
    { eraseCustomer },
  );
  const { paymentsOf = makePayments, webhooksOf = makeWebhooks } = options;
  const payments = paymentsOf({
    ...streams,
    ...node,
    mode,
    idempotency,
    mayWrite,
    storeKey,
    tokens,
    circuits,
    cardTesting,
    vaultFor: instruments.vaultFor,
    publicUrl,
  });
  const { displaceSessionClaim, recordFact, lookAtChanged, readStanding, fenceOrphan } = payments;
  const sessionNeeds = { ...streams, idempotency, tokens, world, displaceSessionClaim, storeKey, publicUrl };
  const sessions = { ...makeSessions(sessionNeeds), ...makePaymentLinks(sessionNeeds) };
  const notifications = makeNotifications({
    ...streams,
    ...node,
    circuits,
    connectionStreams: streams.connections,
    storeKey,
    mayWrite,
    recordFact,
    lookAtChanged,
    readStanding,
    fenceOrphan,
    paymentCalled,
    methodCalled,
    agreementsCharging,
  });
  const webhooks = webhooksOf({
    ...streams,
    idempotency,
    world,
    mode,
    storeKey,
    mayWrite,
    post,
    isAllowedAddress,
    countEndpoints: (accountId) => countEndpoints(readModels, accountId),
    paymentMessage: paymentMessageAnswer,
    agreementMessage: agreementMessageAnswer,
    checkpointMessage: checkpointMessageAnswer,
    deadlines: new Deadlines(world, ANSWER_WITHIN_MS),
    beforeRecord: sharedPause(world, RECORD_WITHIN_MS, RECORDED_TOGETHER),
  });

  const managing: ConnectionNeeds = {
    ...streams,
    idempotency,
    world,
    mayWrite,
    known: connections,
    mode,
    names: [...openable.keys(), ...adapters.processors.keys()],
    secretNames: [...openable.keys()],
    hasAccount: async (accountId) => (await streams.accounts.current(accountId)).state.status !== 'absent',
    storeKey,
    access,
    publicUrl,
  };

  const routing = { ...managing, accounts: streams.accounts, implied: [...adapters.processors.keys()] };

  const alarm = new Alarm();
  const wanted = new WantedLanes();
  const due = {
    readModels,
    alarm,
    wanted,
    moved: projections.moved,
    followedTo: (name: string) => projections.followedTo(name),
    parkedIn: (name: string) => projections.parkedIn(name),
    nameOfLog: () => nameOf(events),
    beginOf: endpointBegins(adapters.events),
    isBuilt: (name: string) => projections.isBuilt(name),
    isWorkElsewhere: () => projections.isWorkElsewhere(),
  };
  const work: PolicyNeeds = {
    ...sessions,
    ...instruments,
    ...payments,
    ...notifications,
    ...webhooks,
    ...node,
    circuits,
    checkpointEveryMs,
    keptDays,
    onLeft: (kind, count) => observer?.left(kind, count),
    endExpiredSessions: users.endExpiredSessions,
    makeCheckpoint: makeCheckpoint({ ...streams, events: adapters.events, secrets, world, mayWrite }),
  };
  return {
    access,
    users,
    sessions,
    instruments,
    customers,
    payments,
    agreements: makeAgreements({ ...streams, idempotency, storeKey }),
    notes: makeNotes({ ...streams, idempotency }),
    views: makeViews({ ...streams, idempotency }),
    notifications,
    audit: makeAudit({ events: adapters.events, secrets, storeKey, world, checkpointEveryMs }),
    recordAct: recordAct({ ...streams, world, mayWrite }),
    webhooks,
    connections: {
      known: connections,
      /** The processors that a connection may name. */
      processors: managing.names,
      /** Those of them that have a connection without anybody's doing, which is named like them. */
      builtIn: routing.implied,
      canUse: (asked: Parameters<typeof canUseReference>[1]) => canUseReference(managing, asked),
      add: (added: NewConnection, by?: Caller) => addConnection(managing, added, by),
      rotate: (connectionId: string, references: Parameters<typeof rotateConnection>[2], by?: Caller) =>
        rotateConnection(managing, connectionId, references, by),
      recordRun: (connectionId: string, hasPassed: boolean) => recordRun(managing, connectionId, hasPassed),
      disable: (connectionId: string, by?: Caller) => disable(managing, connectionId, by),
      examine: (connectionId: string, by?: Caller, url?: string) => examineConnection(managing, connectionId, by, url),
      list: (query: Parameters<typeof listConnections>[1]) => listConnections(readModels, query),
    },
    routing: {
      set: (asked: Parameters<typeof setRouting>[1], by?: Caller) => setRouting(routing, asked, by),
      /** Reads rules without setting them. */
      read: (accountId: string, sent: unknown) => readRules(routing, accountId, sent),
      connectionsOf: (accountId: string) => routableConnections(routing, accountId),
    },
    queries,
    /** The log, whose events come with the keys of their personal members. */
    events,
    keys,
    mode,
    world,
    processors,
    streams,
    circuits,
    readModels,
    projections,
    requestLog,
    /** The functions that policies call. */
    work,
    readiness: () => {
      const readiness = projections.readiness();
      const notMoving = projections.notMoving().map((one) => inWords(one, world.now()));
      return {
        ...readiness,
        degraded: [...new Set([...access.refusedKeys(), ...connections.unresolved, ...readiness.degraded])],
        ...(notMoving.length > 0 && { notMoving }),
      };
    },
    /** Follows the log and does due work until the signal aborts. */
    run: async (signal: AbortSignal): Promise<void> => {
      const policies = runPolicies(work, due, signal);
      const written = [
        keyUses.run(world, report, signal),
        requestLog.run(report, signal),
        sessionUses.run(world, () => machineTime(world), report, signal),
      ];
      const watched = [access.watchKeys(signal), connections.run(signal)];
      await Promise.all([projections.run(signal), ...watched, ...written, policies, keys?.watch(report, signal)]);
    },
    /** Due work is looked for now, and not after the usual pause: the business clock was moved. */
    lookAtOnce: (): void => {
      alarm.ring();
      wanted.alarm.ring();
    },
  };
}

/** A node that was given no source of secrets uses no connection. */
const noSecrets: SecretOf = async (reference) => {
  throw new UnresolvedSecret(reference, 'this node reads no secrets');
};

const unlessUnavailable =
  (report: (fault: unknown) => void) =>
  (fault: unknown): void => {
    if (!(fault instanceof StoreUnavailable)) report(fault);
  };
