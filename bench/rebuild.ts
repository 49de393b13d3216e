// Rebuild of the payments read model against a bare scan of the same log; not pinned: a rebuild has both cores.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PaymentEvent } from '../src/domain/payment/events.ts';
import { paymentCategory } from '../src/domain/payment/events.ts';
import type { Context } from '../src/journal/context.ts';
import { beforeFirst, headOf, seal } from '../src/journal/envelope.ts';
import { openProjections } from '../src/projections/engine/engine.ts';
import { payments } from '../src/projections/payments.ts';
import type { EventStore } from '../src/stores/event-store.ts';
import { openSqliteEventStore } from '../src/stores/sqlite/event-store.ts';
import { openSqliteReadModels } from '../src/stores/sqlite/read-models.ts';
import { liveWorld, newId } from '../src/world.ts';
import type { Row } from './row.ts';

const PAYMENTS = 80_000;
const AT_ONCE = 500;

/** Writes 400,000 events of 80,000 payments, scans them, and builds their read model from nothing and beside a live one. */
export async function bench(): Promise<readonly Row[]> {
  const directory = await mkdtemp(join(tmpdir(), 'counterfoil-bench-'));
  const report = (fault: unknown): void => console.error(fault);
  const parts = { world: liveWorld, report };
  const events = await openSqliteEventStore({ ...parts, file: join(directory, 'events.db') });
  const readModels = await openSqliteReadModels({ ...parts, file: join(directory, 'read-models.db') });
  try {
    for (let made = 0; made < PAYMENTS; made += AT_ONCE) await writePayments(events, AT_ONCE);
    const scanned = await scan(events);
    const projections = await openProjections({ ...parts, events, readModels, projections: [payments], forRepair: true });
    const first = await projections.rebuild(payments.name);
    const perSecond = (first.events / first.tookMs) * 1_000;
    return [
      { what: 'projection rebuild', measured: perSecond, against: scanned, ratio: perSecond / scanned, reach: 0.4, unit: 'events/s' },
      { what: 'projection rebuild, in all', measured: perSecond, against: 100_000, ratio: perSecond / 100_000, reach: 1, unit: 'events/s' },
    ];
  } finally {
    await readModels.close();
    await events.close();
    await rm(directory, { recursive: true });
  }
}

/** Events a second of reading the log and nothing else. */
async function scan(events: EventStore): Promise<number> {
  const head = await events.head();
  const enough = new AbortController();
  const startedAt = liveWorld.monotonic();
  let count = 0;
  for await (const batch of events.follow(-1n, [payments.category], enough.signal)) {
    count += batch.events.length;
    if (batch.position >= head) enough.abort();
  }
  return (count / (liveWorld.monotonic() - startedAt)) * 1_000;
}

async function writePayments(events: EventStore, count: number): Promise<void> {
  const histories = Array.from({ length: count }, () => historyOf(newId(liveWorld, 'pay')));
  // Side by side, as they happen: a payment's events are not next to each other in the log.
  for (const step of [0, 1, 2]) await Promise.all(histories.map(({ id, steps }) => append(events, id, steps, step)));
}

async function append(events: EventStore, id: string, steps: readonly (readonly PaymentEvent[])[], step: number): Promise<void> {
  const at = liveWorld.now();
  const context: Context = {
    accountId: 'acc_018f3c9a7b2e4d5f6a7b8c9d0e1f2a3b',
    actor: { kind: 'apiKey', id: 'key_018f3c9a7b2e4d5f6a7b8c9d0e1f2a3b' },
    at,
    requestId: newId(liveWorld, 'req'),
    operationId: newId(liveWorld, 'op'),
  };
  const earlier = steps.slice(0, step).flat().length;
  // The chain is not what is measured: each append starts it anew.
  const sealed = seal(
    paymentCategory,
    steps[step] ?? [],
    context,
    { ...beforeFirst, revision: earlier - 1, hash: 'f'.repeat(64) },
    liveWorld,
  );
  const written = await events.append(
    `payment-${id}`,
    headOf(sealed, beforeFirst).revision - sealed.length,
    sealed.map(({ stored }) => stored),
  );
  if (written === 'conflict') throw new Error(`${id} is there already`);
}

function historyOf(id: string): { readonly id: string; readonly steps: readonly (readonly PaymentEvent[])[] } {
  const at = liveWorld.now();
  const requested = { requestedAt: at, sendBy: at + 5_000, lookUpAt: at + 30_000 };
  const amount = 1_000 + (at % 9_000);
  const authorization = `${id}.${newId(liveWorld, 'op')}`;
  const capture = `${id}.${newId(liveWorld, 'op')}`;
  const succeeded = (attemptId: string, operation: 'authorization' | 'capture'): PaymentEvent => ({
    type: 'AttemptSucceeded',
    data: {
      attemptId,
      operation,
      at,
      evidence: { source: 'answer', received: { id: attemptId, status: 'succeeded', amount, currency: 'EUR', network: 'VISA' } },
      processorTransactionId: newId(liveWorld, 'sbx'),
      amount,
      currencyCode: 'EUR',
    },
  });
  return {
    id,
    steps: [
      [created(id, at, amount), { type: 'AuthorizationRequested', data: { attemptId: authorization, amount, ...requested } }],
      [
        succeeded(authorization, 'authorization'),
        { type: 'CaptureRequested', data: { attemptId: capture, amount, final: true, ...requested } },
      ],
      [succeeded(capture, 'capture')],
    ],
  };
}

const created = (id: string, at: number, amount: number): PaymentEvent => ({
  type: 'PaymentCreated',
  data: {
    accountId: 'acc_018f3c9a7b2e4d5f6a7b8c9d0e1f2a3b',
    sessionId: newId(liveWorld, 'cs'),
    createdAt: at,
    orderId: `order-${id.slice(-12)}`,
    currencyCode: 'EUR',
    amount,
    customerId: `customer-${id.slice(-4)}`,
    customer: { emailAddress: 'jane.doe@example.com', billingAddress: { firstName: 'Jane', lastName: 'Doe', countryCode: 'DE' } },
    metadata: { cart: id.slice(-8), channel: 'web' },
    processor: 'sandbox',
    processorToken: newId(liveWorld, 'tok'),
    paymentMethod: {
      paymentMethodToken: newId(liveWorld, 'pm'),
      paymentMethodType: 'PAYMENT_CARD',
      paymentMethodData: { network: 'VISA', first6Digits: '424242', last4Digits: '4242', expirationMonth: '12', expirationYear: '2030' },
      fingerprint: 'f'.repeat(64),
      isVaulted: false,
      vaultOnSuccess: false,
      authorizationType: 'FINAL',
      captureMode: 'MANUAL',
    },
  },
});
