// The CPU time of choosing a route by 50 rules with a drawn weight: at most 5 µs, and its share of a payment.
import { defaultCircuit } from '../src/commands/limits/circuit.ts';
import { Admittance, Circuits } from '../src/commands/limits/circuits.ts';
import { routePayment } from '../src/commands/payments/route-payment.ts';
import type { Routing } from '../src/domain/account.ts';
import type { UsableInstrument } from '../src/domain/payment-instrument/state.ts';
import { RoutingRules } from '../src/domain/routing/routing-rules.ts';
import { StoreKey } from '../src/secrets.ts';
import { liveWorld } from '../src/world.ts';
import { card, checkout, memoryStores, merchant, nodeOn } from '../test/support/node.ts';
import { type Bench, rowOf } from './row.ts';

const RULES = 50;
const CHOICES = 50_000;
const ROUNDS = 9;
const PAYMENTS = 300;
const MOST_US = 5;

export const bench: Bench = async () => {
  const choose = await chooser();
  const choice = Math.min(...Array.from({ length: ROUNDS }, choose));
  const payment = await paymentCpu();
  const what = `choosing a route by ${RULES} rules, of which the last matches`;
  return [
    rowOf(`${what}, against what it may take`, choice, MOST_US, { atMost: 1 }, 'µs'),
    rowOf(`${what}, against a payment in memory without rules`, choice, payment, { atMost: 0.05 }, 'µs'),
  ];
};

/** A function that measures once: CPU time of a choice, µs. */
async function chooser(): Promise<() => number> {
  const { sandbox } = await memoryStores();
  const use = [
    { connection: 'sandbox', weight: 90 },
    { connection: 'second', weight: 10 },
  ];
  const rules = RoutingRules.parse({
    rules: Array.from({ length: RULES }, (_, nth) => ({
      name: `rule ${nth}`,
      when: { currencyCode: ['EUR', 'USD'], metadata: { tier: [nth] } },
      use,
      then: ['second'],
    })),
    default: { use },
    fallbackOn: ['NOT_SENT', 'SOFT'],
  });
  const routing: Routing = {
    version: 1,
    rules,
    connections: [
      { name: 'sandbox', connectionId: 'sandbox', processor: 'sandbox' },
      { name: 'second', connectionId: 'con_2', processor: 'sandbox' },
    ],
    setAt: 0,
  };
  const circuits = new Circuits({ implied: [], limits: defaultCircuit, world: liveWorld, report: () => undefined });
  const none = async (): Promise<never> => {
    throw new Error('nothing is called');
  };
  const needs = {
    circuits,
    storeKey: new StoreKey(Buffer.alloc(32, 3)),
    processors: new Map([['sandbox', sandbox]]),
    connections: {
      of: none,
      takesPayments: none,
      processor: none,
      routingOf: () => routing,
      isActive: () => true,
      nameOf: (id: string) => id,
    },
  };
  const instrument: UsableInstrument = {
    status: 'tokenized',
    accountId: 'acc_1',
    processor: 'sandbox',
    connectionId: 'sandbox',
    processorToken: 'one',
    paymentMethodType: 'PAYMENT_CARD',
    paymentMethodData: { network: 'VISA', last4Digits: '4242', expirationMonth: '12', expirationYear: '2039' },
    fingerprint: 'f',
    createdAt: 0,
    expiresAt: 1,
    otherTokens: [{ processor: 'sandbox', connectionId: 'con_2', processorToken: 'two' }],
  };
  const terms = {
    orderId: 'o-1',
    currencyCode: 'EUR',
    amount: 1_000,
    metadata: { tier: RULES - 1 },
    paymentMethod: { vaultOnSuccess: false, captureMode: 'MANUAL', authorizationType: 'FINAL' },
  } as const;
  return () =>
    cpuOf(CHOICES, (nth) => {
      const admitted = new Admittance(circuits);
      const asked = { paymentId: `pay_${nth}`, accountId: 'acc_1', terms, instrument, isAbsent: false, admitted };
      if ('kind' in routePayment(needs, asked)) throw new Error('nothing was chosen');
    });
}

/** CPU time of a call, µs. */
function cpuOf(times: number, work: (nth: number) => void): number {
  const before = process.cpuUsage();
  for (let nth = 0; nth < times; nth += 1) work(nth);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / times;
}

/** CPU time of a payment in this process, µs: its session, its token, its authorization. */
async function paymentCpu(): Promise<number> {
  const { service } = await nodeOn(await memoryStores(), { cardTestingLimits: false });
  const made = await service.access.createAccount('Shop', true);
  if (made.kind === 'rejected') throw new Error(made.description);
  const accountId = made.id;
  const pay = async (): Promise<void> => {
    const order = { orderId: 'o-1', currencyCode: 'EUR', amount: 1_000 };
    const session = await service.sessions.createClientSession(order, merchant(accountId));
    if (session.kind === 'rejected') throw new Error(session.description);
    const token = await service.instruments.tokenizeCard(card(), checkout(accountId, session.id));
    if (token.kind === 'rejected') throw new Error(token.description);
    const paid = await service.payments.authorizeCheckoutPayment(
      { paymentMethodToken: token.id },
      checkout(accountId, session.id),
    );
    if (paid.kind === 'rejected') throw new Error(paid.description);
  };
  for (let nth = 0; nth < PAYMENTS; nth += 1) await pay(); // until the code is compiled
  const before = process.cpuUsage();
  for (let nth = 0; nth < PAYMENTS; nth += 1) await pay();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / PAYMENTS;
}
