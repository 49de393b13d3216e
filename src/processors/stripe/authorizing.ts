// An authorization at Stripe: a PaymentIntent is made, then confirmed; it is read by its id.
import type {
  Declined,
  LookUp,
  NotSent,
  Outcome,
  Preparation,
  RefusedRequest,
  TakenBack,
  Unknown,
} from '../../domain/payment/outcome.ts';
import type { AuthorizationRequest, Call, KeptToken } from '../processor.ts';
import { toStripe } from './amounts.ts';
import type { Api, FormFields, StripeAnswer } from './api.ts';
import { authorizationOf, isFieldToken, namesIn, refusedBy } from './authorized.ts';
import { INDIVISIBLE } from './declines.ts';
import { readAtOnce, undoneBy, unreadBy } from './grading.ts';
import { captureMethodOf, stripesName } from './methods.ts';
import { Customer, PaymentIntent } from './wire.ts';

/** Stripe's limit, in characters. */
const LONGEST_SUFFIX = 22;

export const INTENTS = '/v1/payment_intents';
export const pathOf = (intent: string): string => `${INTENTS}/${encodeURIComponent(intent)}`;
export const EXPANDED = ['expand[]', 'latest_charge'] as const;

export async function prepare(
  api: Api,
  request: AuthorizationRequest,
  call: Call,
): Promise<Preparation | Declined | RefusedRequest | NotSent | Unknown> {
  const { reference, currencyCode } = request;
  const amount = toStripe(request.amount, currencyCode);
  if (amount === undefined) return INDIVISIBLE;
  const currency = currencyCode.toLowerCase();
  let customer = keptIn(request.processorToken)?.customer;
  const keeps = request.keeps === true && isFieldToken(request.processorToken);
  if (keeps) {
    const made = await api.ask(customerFor(request), call);
    if (made.kind !== 'told') return undoneBy(made);
    customer = made.value.id;
  }
  const form = [...creationOf(request, amount), ...customerOf(customer, keeps)];
  const told = await api.ask({ method: 'POST', path: INTENTS, key: `${reference}p`, form, shape: PaymentIntent }, call);
  if (told.kind !== 'told') return undoneBy(told);
  const { value, detail } = told;
  const isAsAsked =
    value.amount === amount && value.currency === currency && value.status === 'requires_payment_method';
  const isOurs = isAsAsked && value.metadata?.['counterfoil_reference'] === reference;
  // Nobody confirms what is not what was asked for.
  return isOurs
    ? { kind: 'prepared', processorTransactionId: value.id }
    : {
        kind: 'unknown',
        detail: `it made a PaymentIntent of another amount, currency, status or reference: ${detail}`,
      };
}

/** Stripe charges a payment method again for its customer alone (docs.stripe.com/payments/save-during-payment). */
const customerFor = ({ reference, paymentId }: AuthorizationRequest) => ({
  method: 'POST' as const,
  path: '/v1/customers',
  key: `${reference}c`,
  form: [['metadata[counterfoil_payment]', paymentId]] as const,
  shape: Customer,
});
const customerOf = (customer: string | undefined, keeps: boolean): FormFields => [
  ['customer', customer],
  ['setup_future_usage', keeps ? 'off_session' : undefined],
];

/** `cus_…/pm_…`: the token of what Stripe keeps. */
function keptIn(processorToken: string): { readonly customer: string; readonly method: string } | undefined {
  const [customer, method] = processorToken.split('/');
  return customer === undefined || method === undefined ? undefined : { customer, method };
}

/** The payment method of the PaymentIntent, and its customer. */
export async function kept(api: Api, request: AuthorizationRequest, call: Call): Promise<KeptToken> {
  const { processorTransactionId: name } = request;
  if (name === undefined) return { kind: 'not_found' };
  const told = await readIntent(api, name, call);
  if (told.kind === 'error' && told.status === 404) return { kind: 'not_found' };
  if (told.kind !== 'told') return { kind: 'unreachable', detail: told.detail };
  const [customer, method] = [told.value.customer, told.value.payment_method].map((one) =>
    typeof one === 'string' ? one : one?.id,
  );
  if (customer === undefined || method === undefined) return { kind: 'not_found' };
  return { kind: 'kept', processorToken: `${customer}/${method}`, ...namesIn(told.value) };
}

const CARD = 'payment_method_options[card]';
type Creation =
  | 'reference'
  | 'paymentId'
  | 'currencyCode'
  | 'descriptor'
  | 'isEstimated'
  | 'threeDSecure'
  | 'paymentMethodType'
  | 'paymentType'
  | 'keeps'
  | 'offSession'
  | 'agreement'
  | 'processorToken';

/** The parameters of the request that makes the PaymentIntent; `amount` in Stripe's units. */
export const creationOf = (request: Pick<AuthorizationRequest, Creation>, amount: number): FormFields => [
  ['amount', amount],
  ['currency', request.currencyCode.toLowerCase()],
  ['capture_method', captureMethodOf(request.paymentMethodType)],
  ['allowed_payment_method_types[]', stripesName(request.paymentMethodType)],
  ...notesOf(request),
  ...(request.paymentMethodType === undefined ? cardOptions(request) : []),
];

const notesOf = ({
  reference,
  paymentId,
  descriptor,
  paymentMethodType,
}: Pick<AuthorizationRequest, Creation>): FormFields => [
  ['metadata[counterfoil_reference]', reference],
  ['metadata[counterfoil_payment]', paymentId],
  // Stripe keeps 50 notes: each capture and raise adds its own, and a fence still has to write here after the last.
  ['metadata[burnt]', 'none'],
  // a suffix is of cards alone, and the other is refused for them
  [paymentMethodType === undefined ? 'statement_descriptor_suffix' : 'statement_descriptor', suffixOf(descriptor)],
];

const cardOptions = ({ isEstimated, threeDSecure, ...about }: Pick<AuthorizationRequest, Creation>): FormFields => [
  [
    `${CARD}[setup_credential_usage]`,
    about.keeps === true && isFieldToken(about.processorToken) ? usageOf(about.paymentType) : undefined,
  ],
  [`${CARD}[stored_credential_usage]`, laterUsageOf(about)],
  [`${CARD}[request_three_d_secure]`, threeDSecure === 'ask' ? 'challenge' : 'automatic'],
  [`${CARD}[request_multicapture]`, 'if_available'],
  [`${CARD}[request_incremental_authorization]`, isEstimated === true ? 'if_available' : undefined],
];

/** What it is charged for without the customer: as its agreement says, otherwise as the payment does. */
function laterUsageOf({
  offSession,
  agreement,
  paymentType,
}: Pick<AuthorizationRequest, 'offSession' | 'agreement' | 'paymentType'>): string | undefined {
  if (offSession !== true) return undefined;
  return agreement?.kind === 'INSTALLMENT' ? 'installment' : usageOf(paymentType);
}

/** What a card is kept for, or charged for without the customer; undefined if the payment does not say. */
function usageOf(paymentType: string | undefined): 'recurring' | 'unscheduled' | undefined {
  if (paymentType === 'UNSCHEDULED') return 'unscheduled';
  return paymentType === 'FIRST_PAYMENT' || paymentType === 'SUBSCRIPTION' ? 'recurring' : undefined;
}

/** Without the characters that Stripe refuses; undefined without a letter, which it wants at least one of. */
function suffixOf(descriptor: string | undefined): string | undefined {
  const suffix = descriptor
    ?.replaceAll(/[<>\\'"*]|[^\x20-\x7e]/g, '')
    .slice(0, LONGEST_SUFFIX)
    .trim();
  return suffix !== undefined && /[a-z]/i.test(suffix) ? suffix : undefined;
}

/** The parameters of the confirmation. */
export const confirmationOf = ({
  processorToken,
  returnUrl,
  offSession,
}: Pick<AuthorizationRequest, 'processorToken' | 'returnUrl' | 'offSession'>): FormFields => [
  isFieldToken(processorToken)
    ? ['confirmation_token', processorToken]
    : ['payment_method', keptIn(processorToken)?.method ?? processorToken],
  ['return_url', returnUrl],
  ['use_stripe_sdk', false],
  ['off_session', offSession],
  EXPANDED,
];

export async function confirm(api: Api, request: AuthorizationRequest, call: Call): Promise<Outcome> {
  const { reference, processorTransactionId: name } = request;
  if (name === undefined) return { kind: 'not_sent', detail: 'no PaymentIntent is on record for it' };
  const told = await api.ask(
    {
      method: 'POST',
      path: `${pathOf(name)}/confirm`,
      key: reference,
      form: confirmationOf(request),
      shape: PaymentIntent,
    },
    call,
  );
  if (told.kind !== 'told') {
    const undone = undoneBy(told, name);
    if (undone.kind !== 'declined') return readAtOnce(undone, told, () => lookUpAuthorization(api, request, call));
    const refused = refusedBy(undone, request);
    // Only what the issuer refused can be confirmed again: a refusal before that has used the key, and done nothing.
    return undone.processorTransactionId === undefined ? refused : { ...refused, fence: 'owed' };
  }
  const { value, detail } = told;
  if (value.id !== name) return { kind: 'unknown', detail: `it answered about another PaymentIntent: ${detail}` };
  const state = authorizationOf(value, request, detail);
  return state.kind === 'unconfirmed' || state.kind === 'taken_back'
    ? { kind: 'unknown', detail: `the PaymentIntent is as if it had not been confirmed: ${detail}` }
    : state;
}

/** The PaymentIntent of that id, by a read; an answer about another one is none. */
export async function readIntent(api: Api, name: string, call: Call): Promise<StripeAnswer<PaymentIntent>> {
  const told = await api.ask({ method: 'GET', path: pathOf(name), form: [EXPANDED], shape: PaymentIntent }, call);
  if (told.kind !== 'told' || told.value.id === name) return told;
  return { kind: 'unclear', detail: `it answered about another PaymentIntent: ${told.detail}` };
}

export async function lookUpAuthorization(
  api: Api,
  request: AuthorizationRequest,
  call: Call,
): Promise<LookUp | TakenBack> {
  const { processorTransactionId: name } = request;
  // Only what has a name on record is ever confirmed.
  if (name === undefined) return { kind: 'not_found' };
  const told = await readIntent(api, name, call);
  if (told.kind !== 'told') return unreadBy(told);
  const state = authorizationOf(told.value, request, told.detail);
  if (state.kind === 'unconfirmed') return { kind: 'not_found' };
  if (state.kind === 'taken_back') return state.released;
  return state;
}
