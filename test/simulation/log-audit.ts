// One pass over the whole log: checks chains, folds, acknowledgements, and that each idempotency key had one effect.
import { hash } from 'node:crypto';
import { agreement } from '../../src/domain/agreement/state.ts';
import type { DomainEvent } from '../../src/domain/category.ts';
import { clientSession } from '../../src/domain/client-session/state.ts';
import { customerWallet } from '../../src/domain/customer-wallet.ts';
import type { Decider } from '../../src/domain/decider.ts';
import { idempotency } from '../../src/domain/idempotency.ts';
import { notification } from '../../src/domain/notification/state.ts';
import type { KnownPayment } from '../../src/domain/payment/payment.ts';
import { payment } from '../../src/domain/payment/state.ts';
import { paymentInstrument } from '../../src/domain/payment-instrument/state.ts';
import { retryLedger } from '../../src/domain/retry-ledger/ledger.ts';
import { webhookEndpoint } from '../../src/domain/webhook-endpoint.ts';
import { webhookQueue } from '../../src/domain/webhook-queue/state.ts';
import { hashOf, unsealEvent } from '../../src/journal/envelope.ts';
import type { EventStore, StoredEvent } from '../../src/stores/event-store.ts';
import type { Acknowledgements } from './acknowledgements.ts';
import { wrongCapture } from './cancel-audit.ts';
import { CauseAudit } from './cause-audit.ts';
import { wrongCharge } from './charges-audit.ts';
import type { PastAudit } from './past-audit.ts';
import { countRoutes, type RouteCounts, wrongFallback } from './routes-audit.ts';

/** A stream folded from the log alone. */
export interface Folded {
  readonly category: string;
  readonly id: string;
  readonly revision: number;
  readonly state: object;
}

export interface LogAudit {
  readonly violations: readonly string[];
  readonly streams: ReadonlyMap<string, Folded>;
  readonly events: number;
  readonly routed: RouteCounts;
  /** SHA-256 over the heads of all streams: two runs of one seed have the same. */
  readonly digest: string;
}

/** Folds one stored event into its stream's state. Each closure knows the types of its own category. */
type Fold = (before: object | undefined, stored: StoredEvent) => { readonly state: object; readonly data: object };

const folds: ReadonlyMap<string, Fold> = new Map([
  foldOf(agreement),
  foldOf(clientSession),
  foldOf(customerWallet),
  foldOf(idempotency),
  foldOf(notification),
  foldOf(payment),
  foldOf(paymentInstrument),
  foldOf(retryLedger),
  foldOf(webhookEndpoint),
  foldOf(webhookQueue),
]);

function foldOf<State extends object, Event extends DomainEvent>({
  category,
  initial,
  evolve,
}: Decider<State, Event>): [string, Fold] {
  const isOurs = (_state: object): _state is State => true; // the state came from this fold
  return [
    category.name,
    (before, stored) => {
      const { event, recorded } = unsealEvent(category, stored);
      const state = before !== undefined && isOurs(before) ? before : initial;
      return { state: evolve(state, event, recorded), data: event.data };
    },
  ];
}

/**
 * The metadata key under which an authorization or a capture names the shop's call. Refunds and cancellations name it
 * in their reason.
 */
export const LABEL = 'call';

/** Events that make a resource, or ask a processor for an effect: at most one for each operation id. */
const EFFECTS: ReadonlySet<string> = new Set([
  'ClientSessionCreated',
  'InstrumentTokenized',
  'PaymentCreated',
  'CaptureRequested',
  'RefundRequested',
  'CancellationRequested',
  'AdjustmentRequested',
]);

export async function auditLog(events: EventStore, acknowledged: Acknowledgements, past: PastAudit): Promise<LogAudit> {
  const pass = new Pass(acknowledged, past);
  const enough = new AbortController();
  for await (const batch of events.follow(-1n, [], enough.signal)) {
    for (const stored of batch.events) pass.take(stored);
    if (batch.caughtUp) enough.abort();
  }
  return pass.end();
}

class Pass {
  readonly #acknowledged: Acknowledgements;
  readonly #past: PastAudit;
  readonly #violations: string[] = [];
  readonly #causes = new CauseAudit();
  readonly #heads = new Map<string, { readonly revision: number; readonly hash: string }>();
  readonly #streams = new Map<string, Folded>();
  /** The operation ids that each idempotency key has stood for. */
  readonly #operationsOfKeys = new Map<string, Set<string>>();
  /** Effects by the shop's own name of the call. */
  readonly #labelled = new Map<string, string>();
  /** Effects by operation id. */
  readonly #effects = new Map<string, string[]>();
  /** Answers to disputes by operation id. */
  readonly #answers = new Map<string, string>();
  readonly #routed = { choices: 0, fallbacks: 0, skips: 0 };
  #count = 0;

  constructor(acknowledged: Acknowledgements, past: PastAudit) {
    this.#acknowledged = acknowledged;
    this.#past = past;
  }

  take(stored: StoredEvent): void {
    const { stream, revision } = stored;
    const head = this.#heads.get(stream) ?? { revision: -1, hash: '' };
    const own = hashOf(stored);
    if (revision !== head.revision + 1 || !stored.metadata.includes(`"previousHash":"${head.hash}"`))
      this.#violations.push(`${stream}@${revision}: the chain is broken`);
    this.#heads.set(stream, { revision, hash: own });
    this.#count += 1;
    this.#past.take(stored);
    this.#fold(stored);
  }

  #fold(stored: StoredEvent): void {
    const { stream, revision, type } = stored;
    const dash = stream.indexOf('-');
    const [category, id] = [stream.slice(0, dash), stream.slice(dash + 1)];
    const fold = folds.get(category);
    if (fold === undefined) return;
    const before = this.#streams.get(stream)?.state;
    const folded = this.#foldedBy(fold, stored);
    if (folded === undefined) return;
    this.#violations.push(
      ...wrongCapture(stored, before, folded.data),
      ...wrongFallback(stored, before, folded.data),
      ...wrongCharge(stored, before, folded.data),
      ...this.#causes.take(stored, folded.data),
    );
    const { state, data } = folded;
    countRoutes(this.#routed, stored, data);
    this.#streams.set(stream, { category, id, revision, state });
    this.#violations.push(...this.#acknowledged.wrongAt(id, revision, state));
    if (category === 'idempotency') this.#noteClaim(id, data);
    else if (type === 'DisputeAnswerRequested')
      this.#noteAnswer(operationIn(stored), `${type} in ${stream}@${revision}`);
    else if (EFFECTS.has(type) && !('follows' in data)) {
      const effect = `${type} in ${stream}@${revision}`;
      if (type === 'RefundRequested' && isPayment(state)) this.#violations.push(...beyondWhatWasLeft(effect, state));
      this.#noteEffect(operationIn(stored), effect);
      this.#noteLabel(labelIn(data), effect);
    }
  }

  /** Undefined if the event cannot follow the state before it. */
  #foldedBy(fold: Fold, stored: StoredEvent): ReturnType<Fold> | undefined {
    try {
      return fold(this.#streams.get(stored.stream)?.state, stored);
    } catch (fault) {
      this.#violations.push(`${stored.stream}@${stored.revision}: ${stored.type} cannot be folded: ${String(fault)}`);
      return undefined;
    }
  }

  #noteClaim(key: string, data: object): void {
    if (!('targetRevision' in data) || !('operationId' in data)) return;
    const operations = this.#operationsOfKeys.get(key) ?? new Set();
    operations.add(String(data.operationId));
    this.#operationsOfKeys.set(key, operations);
  }

  #noteLabel(label: string | undefined, effect: string): void {
    if (label === undefined) return;
    const other = this.#labelled.get(label);
    if (other !== undefined) this.#violations.push(`${label} had two effects: ${other}; ${effect}`);
    this.#labelled.set(label, effect);
  }

  /** A key that is free again, because its answer never arrived, begins another operation (contract §6). */
  #noteAnswer(operationId: string, effect: string): void {
    const other = this.#answers.get(operationId);
    if (other !== undefined) this.#violations.push(`one operation had two effects: ${other}; ${effect}`);
    this.#answers.set(operationId, effect);
  }

  #noteEffect(operationId: string, effect: string): void {
    const effects = this.#effects.get(operationId);
    if (effects === undefined) this.#effects.set(operationId, [effect]);
    else effects.push(effect);
  }

  end(): LogAudit {
    for (const [key, operations] of this.#operationsOfKeys) {
      const effects = [...operations].flatMap((operation) => this.#effects.get(operation) ?? []);
      if (effects.length > 1)
        this.#violations.push(`one idempotency key (${key}) had ${effects.length} effects: ${effects.join('; ')}`);
    }
    for (const id of this.#acknowledged.ids) {
      const prefix = id.slice(0, id.indexOf('_'));
      const stream = `${CATEGORY[prefix] ?? prefix}-${id}`;
      this.#violations.push(...this.#acknowledged.beyond(id, this.#heads.get(stream)?.revision ?? -1));
    }
    this.#violations.push(...this.#past.end());
    const heads = [...this.#heads].map(([stream, head]) => `${stream} ${head.hash}`).join('\n');
    return {
      violations: this.#violations,
      streams: this.#streams,
      events: this.#count,
      routed: this.#routed,
      digest: hash('sha256', heads, 'hex'),
    };
  }
}

// the payment's own decider folded it
const isPayment = (state: object): state is KnownPayment => 'amountRefunded' in state;

/** A refund that was accepted although the totals had no room for it (contract §4). */
function beyondWhatWasLeft(
  effect: string,
  { amountCaptured, amountRefunded, amountRefundPending, amountDisputed }: KnownPayment,
): readonly string[] {
  const given = amountRefunded + amountRefundPending;
  if (given > amountCaptured) return [`${effect} was accepted beyond what was left: ${given} of ${amountCaptured}`];
  if (given + amountDisputed <= amountCaptured) return [];
  return [
    `${effect} was accepted beyond what was not disputed: ${given} of ${amountCaptured} beside ${amountDisputed}`,
  ];
}

/** The pattern is safe: JSON.stringify wrote the metadata, and no free text precedes this field. */
const operationIn = ({ metadata }: StoredEvent): string => /"operationId":"([^"]*)"/.exec(metadata)?.[1] ?? '';

function labelIn(data: object): string | undefined {
  if ('reason' in data && typeof data.reason === 'string') return data.reason === '' ? undefined : data.reason;
  const metadata = 'metadata' in data ? data.metadata : undefined;
  if (typeof metadata !== 'object' || metadata === null || !(LABEL in metadata)) return undefined;
  const label = String(metadata[LABEL]);
  return label === '' ? undefined : label;
}

const CATEGORY: { readonly [prefix: string]: string } = {
  agr: 'agreement',
  cs: 'clientSession',
  pm: 'paymentInstrument',
  pay: 'payment',
};
