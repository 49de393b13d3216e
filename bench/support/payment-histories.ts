// Writes payments into a log as a service would: authorized and captured, with their events between those of others.
import { type PaymentEvent, paymentCategory } from '../../src/domain/payment/events.ts';
import { referenceOf } from '../../src/domain/payment/reference.ts';
import type { Context } from '../../src/journal/context.ts';
import { beforeFirst, type Head, headOf, seal } from '../../src/journal/envelope.ts';
import type { EventStore } from '../../src/stores/event-store.ts';
import { liveWorld, newId } from '../../src/world.ts';

export const EVENTS_A_PAYMENT = 5;
const AT_ONCE = 500;

/** When an unanswered authorization is looked up: long after the log was written. */
export const OPEN_FOR_MS = 3 * 3_600_000;

/**
 * Appends `count` payments (a multiple of 500) with five events each. `open` of them, evenly spread, have two events:
 * their authorization was requested and never answered, and is due for a look-up after OPEN_FOR_MS. Answers the ids.
 */
export async function writePayments(
  events: EventStore,
  count: number,
  accountId: string,
  open = 0,
): Promise<readonly string[]> {
  const every = open === 0 ? Number.POSITIVE_INFINITY : Math.floor(count / open);
  const ids: string[] = [];
  for (let made = 0; made < count; made += AT_ONCE)
    ids.push(...(await writeSome(events, accountId, (index) => (made + index + 1) % every === 0)));
  return ids;
}

async function writeSome(
  events: EventStore,
  accountId: string,
  isOpen: (index: number) => boolean,
): Promise<readonly string[]> {
  const histories = Array.from({ length: AT_ONCE }, (_, index) => {
    const id = newId(liveWorld, 'pay');
    return isOpen(index) ? openHistoryOf(id, accountId) : historyOf(id, accountId);
  });
  // Interleaved, as in real logs: a payment's events are not next to each other.
  for (const step of [0, 1, 2])
    await Promise.all(
      histories.map(async (history) => {
        history.head = await append(events, accountId, history, step);
      }),
    );
  return histories.map(({ id }) => id);
}

async function append(
  events: EventStore,
  accountId: string,
  { id, steps, head }: History,
  step: number,
): Promise<Head> {
  const at = liveWorld.now();
  const context: Context = {
    accountId,
    actor: { kind: 'apiKey', id: 'key_018f3c9a7b2e4d5f6a7b8c9d0e1f2a3b' },
    at,
    correlationId: newId(liveWorld, 'req'),
    operationId: newId(liveWorld, 'op'),
  };
  const sealed = seal(paymentCategory, steps[step] ?? [], context, head, liveWorld);
  if (sealed.length === 0) return head;
  const written = await events.append(
    `payment-${id}`,
    head.revision,
    sealed.map(({ stored }) => stored),
  );
  if (written === 'conflict') throw new Error(`${id} already exists`);
  return headOf(sealed, head);
}

interface History {
  readonly id: string;
  /** The events of each append, in order. */
  readonly steps: readonly (readonly PaymentEvent[])[];
  /** The stream's head after the appends so far. */
  head: Head;
}

function openHistoryOf(id: string, accountId: string): History {
  const at = liveWorld.now();
  const amount = 1_000 + (at % 9_000);
  const requested = { requestedAt: at, sendBy: at + 5_000, nextLookUpAt: at + OPEN_FOR_MS };
  const request: PaymentEvent = {
    type: 'AuthorizationRequested',
    data: { ...named(`${id}.${newId(liveWorld, 'op')}`), amount, currencyCode: 'EUR', ...route(), ...requested },
  };
  return { id, steps: [[created(id, accountId, at, amount), request]], head: beforeFirst };
}

/** The history of one payment that is captured. */
export function historyOf(id: string, accountId: string): History {
  const at = liveWorld.now();
  const requested = { requestedAt: at, sendBy: at + 5_000, nextLookUpAt: at + 30_000 };
  const amount = 1_000 + (at % 9_000);
  const authorization = `${id}.${newId(liveWorld, 'op')}`;
  const capture = `${id}.${newId(liveWorld, 'op')}`;
  const euros = { amount, currencyCode: 'EUR' };
  const succeeded = (attemptId: string, type: 'PaymentAuthorized' | 'PaymentCaptured'): PaymentEvent => ({
    type,
    data: {
      attemptId,
      evidence: { source: 'answer', sentAt: at },
      processorTransactionId: newId(liveWorld, 'sbx'),
      ...euros,
      connectionId: 'sandbox',
      network: 'VISA',
    },
  });
  return {
    id,
    steps: [
      [
        created(id, accountId, at, amount),
        { type: 'AuthorizationRequested', data: { ...named(authorization), ...euros, ...route(), ...requested } },
      ],
      [
        succeeded(authorization, 'PaymentAuthorized'),
        { type: 'CaptureRequested', data: { ...named(capture), ...euros, final: true, ...requested } },
      ],
      [succeeded(capture, 'PaymentCaptured')],
    ],
    head: beforeFirst,
  };
}

const named = (attemptId: string) => ({ attemptId, reference: referenceOf(attemptId) });
const route = () => ({ processor: 'sandbox', connectionId: 'sandbox', processorToken: newId(liveWorld, 'tok') });

const created = (id: string, accountId: string, at: number, amount: number): PaymentEvent => ({
  type: 'PaymentCreated',
  data: {
    accountId,
    sessionId: newId(liveWorld, 'cs'),
    createdAt: at,
    orderId: `order-${id.slice(-12)}`,
    currencyCode: 'EUR',
    amount,
    customerId: `customer-${id.slice(-4)}`,
    customer: {
      emailAddress: 'jane.doe@example.com',
      billingAddress: { firstName: 'Jane', lastName: 'Doe', countryCode: 'DE' },
    },
    metadata: { cart: id.slice(-8), channel: 'web' },
    paymentMethod: {
      paymentMethodToken: newId(liveWorld, 'pm'),
      paymentMethodType: 'PAYMENT_CARD',
      paymentMethodData: {
        network: 'VISA',
        first6Digits: '424242',
        last4Digits: '4242',
        expirationMonth: '12',
        expirationYear: '2030',
      },
      fingerprint: 'f'.repeat(64),
      isVaulted: false,
      vaultOnSuccess: false,
      authorizationType: 'FINAL',
      captureMode: 'MANUAL',
    },
  },
});
