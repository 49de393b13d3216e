// Whole payments that no one has appended yet: the events of a session, an instrument and a payment, and their
// documents at the end.
import type { Category, DomainEvent } from '../../src/domain/category.ts';
import { type ClientSessionEvent, clientSessionCategory } from '../../src/domain/client-session/events.ts';
import { paymentCategory } from '../../src/domain/payment/events.ts';
import { type PaymentInstrumentEvent, paymentInstrumentCategory } from '../../src/domain/payment-instrument/events.ts';
import { beforeFirst, headOf, seal } from '../../src/journal/envelope.ts';
import { clientSessions } from '../../src/projections/models/client-sessions.ts';
import { paymentInstruments } from '../../src/projections/models/payment-instruments.ts';
import { payments } from '../../src/projections/models/payments.ts';
import type { StreamProjection } from '../../src/projections/projection.ts';
import type { Append } from '../../src/stores/event-store.ts';
import type { ReadModels, Stored } from '../../src/stores/read-models.ts';
import { liveWorld, newId } from '../../src/world.ts';
import { sessionFields } from './patches.ts';
import { historyOf } from './payment-histories.ts';

/**
 * In four appends one after the other, as over HTTP: session and card, the payment's request, its outcome and its
 * capture's request, the capture.
 */
export const STEPS = 4;
export const EVENTS_OF_ALL = 9;
const DAY_MS = 86_400_000;
const ROWS_A_WRITE = 500;

export interface ReadyPayment {
  /** The appends of each step. */
  readonly steps: readonly (readonly Append[])[];
  /** The documents after the last step. */
  readonly session: Documented<typeof clientSessions>;
  readonly instrument: Documented<typeof paymentInstruments>;
  readonly payment: Documented<typeof payments>;
}
type Documented<P> = P extends StreamProjection<infer Doc, string> ? Stored<Doc> : never;

export function readyPayment(accountId: string): ReadyPayment {
  const at = liveWorld.now();
  const [sessionId, token, paymentId] = [newId(liveWorld, 'cs'), newId(liveWorld, 'pm'), newId(liveWorld, 'pay')];
  const claim = { paymentId, claimedAt: at, abandonAfter: at + 60_000 };
  const created: ClientSessionEvent = {
    type: 'ClientSessionCreated',
    data: {
      accountId,
      fields: { ...sessionFields(`order-${paymentId.slice(-12)}`), currencyCode: 'EUR' },
      createdAt: at,
      tokenExpiresAt: at + DAY_MS,
      sessionExpiresAt: at + 31 * DAY_MS,
    },
  };
  const tokenized: PaymentInstrumentEvent = {
    type: 'InstrumentTokenized',
    data: {
      accountId,
      sessionId,
      processor: 'sandbox',
      connectionId: 'sandbox',
      processorToken: newId(liveWorld, 'tok'),
      paymentMethodType: 'PAYMENT_CARD',
      paymentMethodData: {
        network: 'VISA',
        first6Digits: '424242',
        last4Digits: '4242',
        expirationMonth: '12',
        expirationYear: '2030',
      },
      fingerprint: 'f'.repeat(64),
      createdAt: at,
      expiresAt: at + DAY_MS,
    },
  };
  const session = written(clientSessionCategory, sessionId, accountId, [
    [created],
    [{ type: 'ClientSessionClaimed', data: claim }],
  ]);
  const instrument = written(paymentInstrumentCategory, token, accountId, [
    [tokenized],
    [{ type: 'InstrumentClaimed', data: claim }],
  ]);
  const payment = written(paymentCategory, paymentId, accountId, [[], ...historyOf(paymentId, accountId).steps]);
  return {
    steps: Array.from({ length: STEPS }, (_, step) =>
      [session, instrument, payment].flatMap((appends) => appends[step] ?? []),
    ),
    session: documentOf(clientSessions, sessionId, session),
    instrument: documentOf(paymentInstruments, token, instrument),
    payment: documentOf(payments, paymentId, payment),
  };
}

/** Writes the documents, as the node does that appends. */
export async function writeDocuments(readModels: ReadModels, ready: readonly ReadyPayment[]): Promise<void> {
  for (let at = 0; at < ready.length; at += ROWS_A_WRITE) {
    const some = ready.slice(at, at + ROWS_A_WRITE);
    await readModels.write(
      clientSessions,
      some.map(({ session }) => session),
    );
    await readModels.write(
      paymentInstruments,
      some.map(({ instrument }) => instrument),
    );
    await readModels.write(
      payments,
      some.map(({ payment }) => payment),
    );
  }
}

/** The appends of one stream, by step; a step may have none. */
function written<Event extends DomainEvent>(
  of: Category<Event>,
  id: string,
  accountId: string,
  steps: readonly (readonly Event[])[],
): readonly (readonly Append[])[] {
  let head = beforeFirst;
  return steps.map((step) => {
    if (step.length === 0) return [];
    const context = {
      accountId,
      actor: { kind: 'apiKey' as const, id: 'key_018f3c9a7b2e4d5f6a7b8c9d0e1f2a3b' },
      at: liveWorld.now(),
      correlationId: newId(liveWorld, 'req'),
      operationId: newId(liveWorld, 'op'),
    };
    const sealed = seal(of, step, context, head, liveWorld);
    const append = { stream: `${of.name}-${id}`, after: head.revision, events: sealed.map(({ stored }) => stored) };
    head = headOf(sealed, head);
    return [append];
  });
}

function documentOf<Doc extends object, K extends string>(
  of: StreamProjection<Doc, K>,
  id: string,
  steps: readonly (readonly Append[])[],
): Stored<Doc> {
  const stored = steps
    .flat()
    .flatMap(({ stream, after, events }) =>
      events.map((event, index) => ({ ...event, stream, revision: after + 1 + index, position: 0n })),
    );
  const [first, ...rest] = stored;
  if (first === undefined) throw new Error(`${id} has no events`);
  return { id, revision: rest.length, doc: rest.reduce(of.project, of.project(undefined, first)) };
}
