// The audit after a run: checks every promise against the log, the ledger and the read models.
import { hash } from 'node:crypto';
import type { ClientSession } from '../../src/domain/client-session/state.ts';
import type { Notification } from '../../src/domain/notification/state.ts';
import type { Payment } from '../../src/domain/payment/payment.ts';
import { givesTokenBack, isKnown, isOver } from '../../src/domain/payment/queries.ts';
import type { PaymentInstrument } from '../../src/domain/payment-instrument/state.ts';
import type { LedgerLine } from '../../src/processors/sandbox/sandbox-interface.ts';
import { catalogEntries, ownOf } from '../../src/projections/engine/generations/catalog-entry.ts';
import { allProjections } from '../../src/projections/models/all.ts';
import {
  type AnyProjection,
  changed,
  type LogProjection,
  type StreamReader,
} from '../../src/projections/projection.ts';
import type { EventStore } from '../../src/stores/event-store.ts';
import type { ReadModelStore, StoredText } from '../../src/stores/read-models.ts';
import { twinDifferences } from '../support/stripe-twin/books.ts';
import type { Effect } from '../support/stripe-twin/state.ts';
import type { Acknowledgements } from './acknowledgements.ts';
import { auditBooks, unsettledOf } from './books-audit.ts';
import { auditCharges } from './charges-audit.ts';
import { auditDisputes } from './disputes-audit.ts';
import { auditLog, type Folded } from './log-audit.ts';
import type { PastAudit } from './past-audit.ts';
import type { Receiver } from './receivers.ts';
import { auditReceivers } from './receivers-audit.ts';
import { auditRoutes, type RouteCounts } from './routes-audit.ts';

export interface Evidence {
  readonly events: EventStore;
  readonly readModels: ReadModelStore;
  readonly ledger: readonly LedgerLine[];
  /** References in the book of the second sandbox; undefined where there is one sandbox. */
  readonly inSecond: ReadonlySet<string> | undefined;
  /** The movements of money at the twins of Stripe. */
  readonly moved: readonly Effect[];
  readonly acknowledged: Acknowledgements;
  readonly past: PastAudit;
  /** How often each reference was sent to the processor. At most once is right. */
  readonly asked: ReadonlyMap<string, number>;
  readonly receivers: readonly Receiver[];
}

export interface RunAudit {
  readonly violations: readonly string[];
  readonly events: number;
  readonly routed: RouteCounts;
  readonly digest: string;
}

export async function auditRun({
  events,
  readModels,
  ledger,
  inSecond,
  moved,
  acknowledged,
  past,
  asked,
  receivers,
}: Evidence): Promise<RunAudit> {
  const log = await auditLog(events, acknowledged, past);
  const states = statesOf(log.streams);
  const isByTwin = (payment: Payment): boolean => isKnown(payment) && payment.processor === 'stripe';
  const sandboxed = new Map([...states.payments].filter(([, payment]) => !isByTwin(payment)));
  const byTwins = new Map([...states.payments].filter(([, payment]) => isByTwin(payment)));
  const violations = [
    ...log.violations,
    ...acknowledged.changed,
    ...auditBooks(ledger, sandboxed),
    ...(inSecond === undefined ? [] : auditRoutes(ledger, inSecond, sandboxed)),
    ...auditDisputes(ledger, sandboxed),
    ...auditCharges(log.streams, states.payments),
    ...twinDifferences(moved, byTwins),
    ...[...byTwins].flatMap(([id, payment]) => (isKnown(payment) ? unsettledOf(id, payment) : [])),
    ...hangingClaims(states),
    ...leftNotifications(states),
  ];
  for (const [reference, count] of asked)
    if (count > 1) violations.push(`${reference} was sent to the processor ${count} times`);
  violations.push(...(await unlessUnfoldable(unlikeLog(readModels, log.streams, events))));
  violations.push(...(await unlessUnfoldable(auditReceivers(events, receivers))));
  return {
    violations,
    events: log.events,
    routed: log.routed,
    digest: hash('sha256', `${log.digest}\n${JSON.stringify([...ledger, ...moved])}`, 'hex'),
  };
}

/** A broken service may leave a log in which an event has no place: that is a broken promise too. */
const unlessUnfoldable = (audit: Promise<readonly string[]>): Promise<readonly string[]> =>
  audit.catch((fault: unknown) => [`the log cannot be folded: ${fault}`]);

interface States {
  readonly sessions: ReadonlyMap<string, ClientSession>;
  readonly payments: ReadonlyMap<string, Payment>;
  readonly instruments: ReadonlyMap<string, PaymentInstrument>;
  readonly notifications: ReadonlyMap<string, Notification>;
}

function statesOf(streams: ReadonlyMap<string, Folded>): States {
  const sessions = new Map<string, ClientSession>();
  const payments = new Map<string, Payment>();
  const instruments = new Map<string, PaymentInstrument>();
  const notifications = new Map<string, Notification>();
  for (const folded of streams.values()) {
    if (isOf<ClientSession>('clientSession', folded)) sessions.set(folded.id, folded.state);
    else if (isOf<Payment>('payment', folded)) payments.set(folded.id, folded.state);
    else if (isOf<PaymentInstrument>('paymentInstrument', folded)) instruments.set(folded.id, folded.state);
    else if (isOf<Notification>('notification', folded)) notifications.set(folded.id, folded.state);
  }
  return { sessions, payments, instruments, notifications };
}

// The category's own decider folded the state.
const isOf = <State extends object>(category: string, folded: Folded): folded is Folded & { readonly state: State } =>
  folded.category === category;

const absent: Payment = { status: 'absent' };

function hangingClaims({ sessions, instruments, payments }: States): readonly string[] {
  const violations: string[] = [];
  for (const [id, session] of sessions) {
    if (session.status === 'absent' || session.payment === undefined) continue;
    const holder = payments.get(session.payment.paymentId) ?? absent;
    if (holder.status === 'absent' || isOver(holder))
      violations.push(`${id} is held by ${session.payment.paymentId}, which is ${holder.status}`);
  }
  for (const [id, instrument] of instruments) {
    if (instrument.status === 'vaulting') violations.push(`${id} stays vaulting`);
    if (instrument.status === 'absent' || instrument.claim === undefined) continue;
    const holder = payments.get(instrument.claim.paymentId) ?? absent;
    if (holder.status === 'absent' || givesTokenBack(holder))
      violations.push(`${id} is held by ${instrument.claim.paymentId}, which is ${holder.status}`);
  }
  return violations;
}

function leftNotifications({ notifications }: States): readonly string[] {
  const left = [...notifications].filter(([, { status }]) => status === 'received' || status === 'parked');
  return left.map(
    ([id, record]) =>
      `notification ${id} stays ${record.status}${record.status === 'parked' ? `: ${JSON.stringify(record.reason)}` : ''}`,
  );
}

/** Compares the read models with a fold of the log from its first event on. */
async function unlikeLog(
  readModels: ReadModelStore,
  streams: ReadonlyMap<string, Folded>,
  events: EventStore,
): Promise<readonly string[]> {
  const violations: string[] = [];
  for (const projection of allProjections) {
    const [entry] = await readModels.get(catalogEntries, [projection.name]);
    const generation = ownOf(entry?.doc, projection.version) ?? 0;
    const expected = await expectedOf(projection, streams, events);
    if (expected.size === 0) continue;
    for (const { id, revision, text } of await textsOf(readModels, projection, generation)) {
      const own = expected.get(id);
      expected.delete(id);
      if (own === undefined) violations.push(`${projection.name} holds ${id}, which the log does not`);
      else if (own.revision !== revision || JSON.stringify(own.doc) !== text)
        violations.push(`${projection.name} holds another ${id}@${revision} than the log, which is at ${own.revision}`);
    }
    for (const id of expected.keys()) violations.push(`${projection.name} lacks ${id}`);
  }
  return violations;
}

type Expected = Map<string, { readonly revision: number; readonly doc: object }>;

function expectedOf(
  projection: AnyProjection,
  streams: ReadonlyMap<string, Folded>,
  events: EventStore,
): Promise<Expected> {
  return projection.open(async (of) => {
    if (of.kind === 'log') return foldedLog(of, events);
    const its = [...streams.values()].filter(({ category }) => category === of.category);
    return new Map(its.map(({ id, revision, state }) => [id, { revision, doc: state }]));
  });
}

/** Folds the log event by event, with the projection's own functions and nothing of the engine. */
async function foldedLog<Doc extends object, K extends string>(
  of: LogProjection<Doc, K>,
  events: EventStore,
): Promise<Expected> {
  const readers = new Map<string, StreamReader<Doc>>();
  const docs = new Map<string, { readonly revision: number; readonly doc: Doc }>();
  const enough = new AbortController();
  for await (const batch of events.follow(-1n, of.categories, enough.signal)) {
    for (const stored of batch.events) {
      const { changes, next } = (readers.get(stored.stream) ?? of.reader)(stored);
      readers.set(stored.stream, next);
      for (const change of changes)
        docs.set(change.id, { revision: Number(stored.position), doc: changed(of, docs.get(change.id)?.doc, change) });
    }
    if (batch.caughtUp) enough.abort();
  }
  return docs;
}

function textsOf(
  readModels: ReadModelStore,
  projection: AnyProjection,
  generation: number,
): Promise<readonly StoredText[]> {
  return projection.open(async (of) => {
    const rows: StoredText[] = [];
    for (let after = ''; ; after = rows.at(-1)?.id ?? '') {
      const page = await readModels.texts({ ...of, generation }, after, 1_000);
      rows.push(...page);
      if (page.length < 1_000) return rows;
    }
  });
}
