// Payments as their read model holds them, in numbers: for tests of what is found among many.
import { type Payment, payment } from '../../src/domain/payment/state.ts';
import type { Stored } from '../../src/stores/read-models.ts';
import { created } from '../domain/payment/story.ts';

const STATUSES = ['SETTLED', 'SETTLED', 'SETTLED', 'AUTHORIZED', 'DECLINED', 'PENDING', 'CANCELLED'] as const;
const CURRENCIES = ['EUR', 'EUR', 'EUR', 'EUR', 'USD', 'JPY'] as const;
/** Two payments each have the same date, so that ids break ties. */
const MS_APART = 1_000;

/** The document of the n-th payment; what it is made of repeats at different lengths. */
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
  const event = created(
    { createdAt: Math.floor(n / 2) * MS_APART, orderId, ...customerId, ...amounts, processor },
    { paymentMethodData: card },
  );
  const doc = payment.evolve(payment.initial, event, { id: `e${n}`, revision: 0, at: n });
  return { id: `pay_${String((n * 7_919) % 1_000_003).padStart(7, '0')}`, revision: 0, doc: withStatus(doc, n) };
}

const withStatus = (doc: Payment, n: number): Payment =>
  doc.status === 'absent' || doc.status === 'abandoned' ? doc : { ...doc, status: STATUSES[n % STATUSES.length] ?? 'SETTLED' };
