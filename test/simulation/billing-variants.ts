// Services that charge a period twice, too early, too often, or beyond what was agreed: each breaks one promise of the
// audit of charges.
import { hash } from 'node:crypto';
import type { PaymentParts } from '../../src/commands/payments/needs.ts';
import { makePayments } from '../../src/commands/payments/payments.ts';
import { agreementCategory } from '../../src/domain/agreement/events.ts';
import { paymentCategory } from '../../src/domain/payment/events.ts';
import type { EventStore, NewEvent } from '../../src/stores/event-store.ts';
import { appendAnywhere, type BrokenVariant, oneByOne } from './variant.ts';

const billing = true as const;
const isAgreement = (stream: string): boolean => stream.startsWith(`${agreementCategory.name}-`);

/** Appends to agreements at whatever revision they have: what was decided on is old by then. */
const unguarded = (events: EventStore): EventStore => ({
  ...oneByOne(events),
  append: (stream, after, list) =>
    isAgreement(stream) ? appendAnywhere(events, stream, list) : events.append(stream, after, list),
});

/** Other names than those of the store key, for one purpose. */
const named = (parts: PaymentParts, label: string, nameOf: (text: string) => string): PaymentParts => {
  const { storeKey } = parts;
  const name: typeof storeKey.name = (of, text) => (of === label ? nameOf(text) : storeKey.name(of, text));
  const other = new Proxy(storeKey, {
    get(key, member) {
      if (member === 'name') return name;
      const value: unknown = Reflect.get(key, member, key);
      return typeof value === 'function' ? value.bind(key) : value; // it has private members
    },
  });
  return { ...parts, storeKey: other };
};

let made = 0;
const anyName = (): string => {
  made += 1;
  return hash('sha256', String(made), 'hex').slice(0, 32);
};

/** Two nodes that claim one period make two payments. */
const twoPayments: BrokenVariant = {
  name: 'a period is known by its idempotency key alone',
  breaks: /p-\d of \w+ paid \d times/,
  billing,
  events: unguarded,
  payments: (parts) => makePayments(named(parts, 'agreement-payment', anyName)),
};

/** The state is read before the append, and may be another one by then. */
const staleState: BrokenVariant = {
  name: 'a charge is claimed on the state that was read before',
  breaks: /was claimed (?:while|after)/,
  billing,
  events: unguarded,
};

/** No ledger is found again: each try begins one. */
const manyLedgers: BrokenVariant = {
  name: 'each connection counts the tries of a card for itself',
  breaks: /the network counts \d+ declines/,
  billing,
  payments: (parts) => makePayments(named(parts, 'retry-ledger', anyName)),
};

/** Fifty days: longer than any network's wait. */
const LATER_MS = 50 * 86_400_000;

/** The job's clock is far ahead. */
const impatient: BrokenVariant = {
  name: 'a declined period is tried again at once',
  breaks: /was claimed too early/,
  billing,
  payments(parts) {
    const sound = makePayments(parts);
    return {
      ...sound,
      chargeAgreement: (id, request, caller) =>
        sound.chargeAgreement(id, request, { ...caller, at: caller.at + LATER_MS }),
    };
  },
};

/** Rewrites the data of an event on its way into the log. */
const rewritten = (
  stream: string,
  type: string,
  change: (data: { [name: string]: unknown }) => object,
): NonNullable<BrokenVariant['events']> => {
  const other = (event: NewEvent): NewEvent =>
    event.type === type ? { ...event, data: JSON.stringify(change(JSON.parse(event.data))) } : event;
  return (events) => ({
    ...oneByOne(events),
    append: (to, after, list) => events.append(to, after, to.startsWith(`${stream}-`) ? list.map(other) : list),
  });
};

const beyondTerms: BrokenVariant = {
  name: 'a claim takes more than was agreed',
  breaks: /was claimed outside the terms/,
  billing,
  events: rewritten(agreementCategory.name, 'ChargeClaimed', (data) => ({ ...data, amount: 190_000 })),
};

const forgetsTheFirst: BrokenVariant = {
  name: 'a charge does not name the first payment',
  breaks: /does not name the payment that its agreement began with/,
  billing,
  events: rewritten(paymentCategory.name, 'PaymentCreated', ({ agreement, ...data }) => {
    const { transactionLinkId: _forgotten, ...kept } = Object(agreement);
    return { ...data, ...(agreement !== undefined && { agreement: kept }) };
  }),
};

/** The withdrawal of a consent is left for later, and nobody comes back to it. */
const forgetsWithdrawals: BrokenVariant = {
  name: 'a withdrawn consent is recorded apart',
  breaks: /although its customer withdrew the consent/,
  billing,
  events: (events) => ({
    ...events,
    append: (stream, after, list) =>
      events.append(
        stream,
        after,
        list.filter(({ type }) => type !== 'AgreementRevoked'),
      ),
  }),
};

export const BILLING_VARIANTS: readonly BrokenVariant[] = [
  twoPayments,
  staleState,
  manyLedgers,
  impatient,
  beyondTerms,
  forgetsTheFirst,
  forgetsWithdrawals,
];
