// The terms of a payment: the request over its session, the request winning (contract §4).
import { areTooLarge, tooLarge } from '../client-session/fields-json.ts';
import { isMerchantInitiated, keepsForAgreement } from '../client-session/queries.ts';
import type {
  RecordedCustomer,
  RecordedOrder,
  RecordedPaymentMethod,
  SessionFields,
} from '../client-session/recorded-fields.ts';
import { type Rejection, reject, type Violation } from '../decider.ts';
import { MAX_AMOUNT } from '../money.ts';
import { orderAmount } from '../order-amount.ts';

export interface PaymentTerms {
  readonly orderId: string;
  readonly currencyCode: string;
  /** Minor units, at least 1. */
  readonly amount: number;
  readonly order?: RecordedOrder;
  readonly customerId?: string;
  readonly customer?: RecordedCustomer;
  readonly metadata?: NonNullable<SessionFields['metadata']>;
  readonly returnUrl?: string;
  /** The agreement that charges the payment method from now on. */
  readonly forAgreement?: string;
  readonly paymentMethod: {
    readonly vaultOnSuccess: boolean;
    readonly captureMode: NonNullable<RecordedPaymentMethod['captureMode']>;
    readonly authorizationType: NonNullable<RecordedPaymentMethod['authorizationType']>;
    readonly descriptor?: string;
    readonly paymentType?: NonNullable<RecordedPaymentMethod['paymentType']>;
  };
}

/**
 * The terms, or RequestValidationError with every field that is missing or impossible. Scalars: the request's,
 * otherwise the session's. `customer` and `metadata`: member by member. `order` and `paymentMethod`: as a whole.
 * Amount: the request's, otherwise calculated from the request's order, otherwise the session's; a currency that
 * differs from the session's requires the request's own amount. In a session with an agreement: the session's customer,
 * who is there and whose payment method is saved.
 */
export function paymentTerms(request: SessionFields, session: SessionFields = {}): PaymentTerms | Rejection {
  const violations: Violation[] = [];
  const orderId = request.orderId ?? session.orderId;
  const currencyCode = request.currencyCode ?? session.currencyCode;
  const isAgreed = keepsForAgreement(session);
  const customerId = isAgreed ? session.customerId : (request.customerId ?? session.customerId);
  const sent = request.paymentMethod ?? session.paymentMethod ?? {};
  const paymentMethod = methodTerms(isAgreed ? { paymentType: 'FIRST_PAYMENT', ...sent, vaultOnSuccess: true } : sent);
  const amount = amountTerms(request, session, violations);
  if (orderId === undefined)
    violations.push({ path: '$.orderId', description: 'Required in the request or in the session.' });
  if (currencyCode === undefined)
    violations.push({ path: '$.currencyCode', description: 'Required in the request or in the session.' });
  if (isAgreed && isMerchantInitiated(paymentMethod.paymentType))
    violations.push({ path: '$.paymentMethod.paymentType', description: 'Must be of a payment by the customer.' });
  if (paymentMethod.vaultOnSuccess && customerId === undefined) {
    violations.push({ path: '$.customerId', description: 'Required when vaultOnSuccess is true.' });
  }
  if (violations.length > 0 || orderId === undefined || currencyCode === undefined || amount === undefined) {
    return reject('RequestValidationError', 'The payment is not complete.', { violations });
  }
  const order = request.order ?? session.order;
  const customer = merged(session.customer, request.customer);
  const metadata = merged(session.metadata, request.metadata);
  const returnUrl = request.returnUrl ?? session.returnUrl;
  if (areTooLarge({ order, customer, metadata })) return tooLarge('payment');
  return {
    orderId,
    currencyCode,
    amount,
    paymentMethod,
    ...(order !== undefined && { order }),
    ...(customerId !== undefined && { customerId }),
    ...(customer !== undefined && { customer }),
    ...(metadata !== undefined && { metadata }),
    ...(returnUrl !== undefined && { returnUrl }),
  };
}

/**
 * The members that a payment of the session would be refused for, with a request that has none of its own:
 * `['orderId']`.
 */
export function lackedBy(session: SessionFields): readonly string[] {
  const terms = paymentTerms({}, session);
  return 'kind' in terms ? (terms.violations ?? []).map(({ path }) => path.replace(/^\$\./, '')) : [];
}

/**
 * A session's fields as its customer chose in the checkout; RequestValidationError where there is no customer to vault
 * for (contract §3).
 */
export function vaultingChosen(session: SessionFields, vaultOnSuccess: boolean): SessionFields | Rejection {
  if (!vaultOnSuccess || session.customerId !== undefined) {
    return { ...session, paymentMethod: { ...session.paymentMethod, vaultOnSuccess } };
  }
  const violations = [{ path: '$.vaultOnSuccess', description: 'Must not be true in a session without a customerId.' }];
  return reject('RequestValidationError', 'Vaulting needs a customer, and the session has none.', { violations });
}

function amountTerms(request: SessionFields, session: SessionFields, violations: Violation[]): number | undefined {
  const missing = (description: string): undefined => {
    violations.push({ path: '$.amount', description });
    return undefined;
  };
  const otherCurrency =
    request.currencyCode !== undefined &&
    session.currencyCode !== undefined &&
    request.currencyCode !== session.currencyCode;
  if (otherCurrency && request.amount === undefined)
    return missing("Required if the currency differs from the session's.");
  const amount =
    request.amount ??
    (request.order === undefined ? undefined : orderAmount(request.order)) ??
    session.amount ??
    orderAmount(session.order);
  if (amount === undefined) return missing('Required in the request or in the session.');
  if (amount < 1) return missing('Must be at least 1 for a payment.');
  // A session may hold what an earlier rule allowed.
  return Number.isSafeInteger(amount)
    ? amount
    : missing(`Must be a whole number of minor units, at most ${MAX_AMOUNT}.`);
}

function methodTerms(sent: RecordedPaymentMethod): PaymentTerms['paymentMethod'] {
  const { vaultOnSuccess = false, captureMode = 'MANUAL', authorizationType = 'FINAL', descriptor, paymentType } = sent;
  return {
    vaultOnSuccess,
    captureMode,
    authorizationType,
    ...(descriptor !== undefined && { descriptor }),
    ...(paymentType !== undefined && { paymentType }),
  };
}

const merged = <T extends object>(below: T | undefined, above: T | undefined): T | undefined =>
  below === undefined ? above : above === undefined ? below : { ...below, ...above };
