// The rules of a second authorization at another connection, as violations of a service that may be broken on purpose:
// every end of the first call, over a processor that counts.
import type { PaymentParts } from '../../../src/commands/payments/needs.ts';
import type { Payments } from '../../../src/commands/payments/payments.ts';
import type { Outcome } from '../../../src/domain/payment/outcome.ts';
import type { OperationRequest, Processor } from '../../../src/processors/processor.ts';
import { FAULT_NAMES, FAULTS, type FaultName, type Phase } from '../../../src/processors/sandbox/faults.ts';
import type { EventStore } from '../../../src/stores/event-store.ts';
import { StoreUnavailable } from '../../../src/stores/store-unavailable.ts';
import { CARDS } from '../../support/http-merchant.ts';
import { checkout, lookUpDue, nodeOn } from '../../support/node.ts';
import { routedShop } from './routed-shop.ts';

/** A service broken in one way. */
export interface FallbackVariant {
  readonly name: string;
  /** The violation that it must cause. */
  readonly breaks: RegExp;
  readonly processor?: (processor: Processor) => Processor;
  readonly events?: (events: EventStore) => EventStore;
  readonly payments?: (parts: PaymentParts) => Payments;
  /** A second node that looks at what is due, over the same stores. */
  readonly onSecondNode?: (processor: Processor) => Processor;
}

interface Sent {
  readonly reference: string;
  readonly connectionId: string;
  /** Undefined while it runs. */
  outcome?: Outcome;
}

/** One end of the first authorization, and whether the second connection may be asked after it. */
export interface End {
  readonly name: string;
  readonly card?: string;
  readonly fault?: { readonly phase: Phase; readonly fault: FaultName };
  /** The processor says this, and has done nothing. */
  readonly says?: Outcome;
  readonly goesOn: boolean;
}

const declined = (code: string, declineType: 'SOFT' | 'HARD', more: object = {}): Outcome => ({
  kind: 'declined',
  code,
  declineType,
  ...more,
});

/** An open circuit would send payments to the second connection at once. */
const NEVER_OPEN = { windowMs: 1_000, minCalls: 1_000_000, failedShare: 1, openMs: 1_000 };

/** Proof that nothing was sent, which comes while the shopper still waits. */
const isSoonKnown = (phase: Phase, fault: FaultName): boolean =>
  phase === 'before_send' && fault !== 'slow' && fault !== 'hang';

/** Each fault of a call in each phase, each kind of word, and the refusals that the rules make exceptions of. */
export const ENDS: readonly End[] = [
  ...FAULT_NAMES.flatMap((fault) =>
    FAULTS[fault].phases
      .filter((phase) => phase !== 'after_reply')
      .map((phase): End => ({ name: `${fault} ${phase}`, fault: { phase, fault }, goesOn: isSoonKnown(phase, fault) })),
  ),
  { name: 'approved', goesOn: false },
  { name: 'not sent', card: CARDS.notSent, goesOn: true },
  { name: 'unknown', card: CARDS.unknown, goesOn: false },
  { name: 'lost', card: CARDS.lost, goesOn: false },
  { name: 'pending', card: CARDS.pendingForEver, goesOn: false },
  { name: 'challenged', card: CARDS.challenged, goesOn: false },
  { name: 'a soft decline', says: declined('PROCESSING_ERROR', 'SOFT'), goesOn: true },
  { name: 'a hard decline', says: declined('LOST_CARD', 'HARD'), goesOn: false },
  { name: 'a code in never', says: declined('INSUFFICIENT_FUNDS', 'SOFT'), goesOn: false },
  { name: 'an authentication', says: declined('AUTHENTICATION_REQUIRED', 'SOFT'), goesOn: false },
  { name: 'an owed fence', says: declined('PROCESSING_ERROR', 'SOFT', { fence: 'owed' }), goesOn: false },
  { name: 'advice against it', says: declined('PROCESSING_ERROR', 'SOFT', { advice: 'DO_NOT_RETRY' }), goesOn: false },
];

/** Calls are given up soon, so that no end takes long. */
const TIMINGS = { sendWithinMs: 2_000, answerWithinMs: 800, abandonAfterMs: 60_000 };

/** The violations of all ends; each names its end. */
export async function violationsOf(
  variant: Omit<FallbackVariant, 'name' | 'breaks'>,
  ends = ENDS,
): Promise<readonly string[]> {
  const found: string[] = [];
  const sent: Sent[] = [];
  let says: Outcome | undefined;
  const counted = (processor: Processor): Processor => ({
    ...processor,
    async perform(request: OperationRequest, call) {
      if (request.operation !== 'authorization') return processor.perform(request, call);
      const { connectionId } = call.connection;
      const one: Sent = { reference: request.reference, connectionId };
      const open = sent.filter(({ outcome }) => outcome === undefined || !isProof(outcome));
      if (open.length > 0) found.push(`${current}: asked ${connectionId} before the outcome of the first was proven`);
      sent.push(one);
      const isScripted = connectionId === 'sandbox' && says !== undefined;
      const outcome = isScripted && says !== undefined ? says : await processor.perform(request, call);
      one.outcome = outcome;
      return outcome;
    },
  });
  let current = '';
  const shop = await routedShop({
    timings: TIMINGS,
    circuit: NEVER_OPEN,
    ...(variant.payments !== undefined && { paymentsOf: variant.payments }),
    through: ({ events, ...stores }) => ({ ...stores, events: variant.events?.(events) ?? events }),
    processorOf: (sandbox) => (variant.processor ?? same)(counted(sandbox)),
  });
  const second = await shop.connect('second');
  await shop.set({
    rules: [],
    default: { use: [{ connection: 'sandbox', weight: 1 }], then: ['second'] },
    fallbackOn: ['NOT_SENT', 'SOFT'],
    never: ['INSUFFICIENT_FUNDS'],
    mostAttempts: 2,
  });
  const other =
    variant.onSecondNode === undefined
      ? undefined
      : await nodeOn(shop, { timings: TIMINGS, processor: variant.onSecondNode(counted(shop.sandbox)), leaps: true });
  for (const end of ends) {
    current = end.name;
    sent.length = 0;
    says = end.says;
    const rules = end.fault === undefined ? [] : [{ match: { operation: 'authorization' }, do: end.fault }];
    await shop.sandbox.setFaults(shop.accountId, { rules });
    await shop.pay({ number: end.card });
    if (other !== undefined) {
      shop.world.advance(40_000);
      await lookUpDue(other);
    }
    const asked = new Set(sent.map(({ connectionId }) => connectionId));
    if (asked.has(second) !== end.goesOn) found.push(`${end.name}: ${end.goesOn ? 'did not ask' : 'asked'} the second`);
    const references = new Set(sent.map(({ reference }) => reference));
    if (references.size < sent.length) found.push(`${end.name}: sent a request twice`);
    const lines = [...(await shop.sandbox.ledgerOf(undefined, 1_000)).lines].filter(({ reference }) =>
      sent.some((call) => call.reference === reference),
    );
    const held = lines.filter(({ outcome }) => outcome === 'succeeded');
    if (held.length > 1) found.push(`${end.name}: ${held.length} authorizations hold the money`);
  }
  return found;
}

const same = (processor: Processor): Processor => processor;
const isProof = ({ kind }: Outcome): boolean => kind === 'not_sent' || kind === 'declined';

/** Half of the payments go to each connection. A retry under the same key goes to the same one. */
export async function drawViolations({ payments }: Pick<FallbackVariant, 'payments'>): Promise<readonly string[]> {
  const found: string[] = [];
  let tried: string[] = [];
  let isAway = false;
  const append = (events: EventStore): EventStore['append'] => {
    return async (stream, after, list) => {
      const asked = list.find(({ type }) => type === 'AuthorizationRequested');
      if (asked === undefined) return events.append(stream, after, list);
      tried.push(/"connectionId":"([^"]*)"/.exec(asked.data)?.[1] ?? '');
      if (!isAway) return events.append(stream, after, list);
      isAway = false;
      throw new StoreUnavailable('The store is unavailable.', { outcomeUnknown: false });
    };
  };
  const watched = (events: EventStore): EventStore =>
    new Proxy(events, {
      get(store, member) {
        if (member === 'append') return append(store);
        if (member === 'appendAll') return undefined; // so that a payment meets `append`
        const value: unknown = Reflect.get(store, member);
        return typeof value === 'function' ? value.bind(store) : value;
      },
    });
  const shop = await routedShop({
    ...(payments !== undefined && { paymentsOf: payments }),
    through: ({ events, ...stores }) => ({ ...stores, events: watched(events) }),
  });
  await shop.connect('second');
  const use = [
    { connection: 'sandbox', weight: 50 },
    { connection: 'second', weight: 50 },
  ];
  await shop.set({ rules: [], default: { use } });
  for (let nth = 0; nth < 12; nth += 1) {
    tried = [];
    isAway = true;
    const { sessionId, paymentMethodToken } = await shop.token();
    const by = { ...checkout(shop.accountId, sessionId, shop.world), idempotency: { key: `k${nth}`, request: '' } };
    const pay = () => shop.service.payments.authorizeCheckoutPayment({ paymentMethodToken }, by);
    await pay().catch(() => undefined);
    await pay();
    if (tried.length < 2) found.push(`payment ${nth}: was not tried twice`);
    if (new Set(tried).size > 1) found.push(`payment ${nth}: drew another connection on a retry`);
  }
  return found;
}
