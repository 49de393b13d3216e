// Documents of many payments, for tests that search among them.
import type { KnownPayment, Payment } from '../../src/domain/payment/payment.ts';
import { isKnown } from '../../src/domain/payment/queries.ts';
import { payment } from '../../src/domain/payment/state.ts';
import type { Stored } from '../../src/stores/read-models.ts';
import { authorizationRequested, created } from '../domain/payment/story.ts';

const STATUSES = ['SETTLED', 'SETTLED', 'SETTLED', 'AUTHORIZED', 'DECLINED', 'PENDING', 'CANCELLED'] as const;
const CURRENCIES = ['EUR', 'EUR', 'EUR', 'EUR', 'USD', 'JPY'] as const;
/** Two payments share each date, so that ids break ties. */
const MS_APART = 1_000;

/** The document of the n-th payment. Its fields repeat in cycles of different lengths. */
export function paid(n: number): Stored<Payment> {
  const orderId = `order-${n % 997}`;
  const customerId = n % 3 === 0 ? {} : { customerId: `customer-${n % 101}` };
  const amounts = { currencyCode: CURRENCIES[n % CURRENCIES.length] ?? 'EUR', amount: 100 + (n % 89) };
  const card = {
    network: 'VISA',
    first6Digits: '424242',
    last4Digits: String(1_000 + (n % 31)),
    expirationMonth: '12',
    expirationYear: '2030',
  } as const;
  const processor = n % 500 === 7 ? 'another' : 'sandbox';
  const at = Math.floor(n / 2) * MS_APART;
  const event = created({ createdAt: at, orderId, ...customerId, ...amounts }, { paymentMethodData: card });
  const made = payment.evolve(payment.initial, event, { id: `e${n}`, revision: 0, at });
  if (authorizationRequested.type !== 'AuthorizationRequested') throw new Error(authorizationRequested.type);
  const requested = { ...authorizationRequested, data: { ...authorizationRequested.data, processor } };
  const doc = payment.evolve(made, requested, { id: `f${n}`, revision: 1, at });
  return { id: `pay_${String((n * 7_919) % 1_000_003).padStart(7, '0')}`, revision: 1, doc: withStatus(doc, n) };
}

const openDispute = {
  disputeId: 'dsp_1',
  processorDisputeId: 'dp_1',
  round: 1,
  type: 'DISPUTE',
  status: 'OPEN',
  amount: 100,
  currencyCode: 'EUR',
  openedAt: 0,
  begunAt: 0,
} as const;

/** Of few payments: a dispute, a refund whose outcome is unknown, or both. */
function openMattersOf(
  { attempts }: Pick<KnownPayment, 'attempts'>,
  n: number,
): Partial<Pick<KnownPayment, 'attempts' | 'disputes'>> {
  const [first] = attempts;
  if (first?.state !== 'open') throw new Error(`the first attempt is ${first?.state}`);
  const refund = { ...first, operation: 'refund', state: 'unknown' } as const;
  return {
    ...(n % 400 === 1 && { disputes: [openDispute] }),
    ...(n % 600 === 1 && { attempts: [first, refund] }),
  };
}

function withStatus(doc: Payment, n: number): Payment {
  if (!isKnown(doc)) throw new Error(`the payment is ${doc.status}`);
  const { statusReason: _none, ...facts } = doc;
  const status = STATUSES[n % STATUSES.length] ?? 'SETTLED';
  const processorTransactionId = `tx_${n}`;
  const cause = {
    because: 'declined',
    operation: 'authorization',
    code: 'GENERIC_DECLINE',
    declineType: 'HARD',
  } as const;
  return status === 'DECLINED'
    ? { ...facts, status, statusReason: { ...cause, code: n % 5 === 0 ? 'EXPIRED_CARD' : cause.code } }
    : { ...facts, ...openMattersOf(facts, n), status, processorTransactionId };
}
