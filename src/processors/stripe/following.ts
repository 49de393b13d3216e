// What follows an authorization: capture, cancellation, refund, adjustment; sent under our reference, and read by the
// PaymentIntent's id.
import type { Declined, LookUp, Outcome, PaymentStanding } from '../../domain/payment/outcome.ts';
import type { AuthorizationRequest, Call, OperationRequest } from '../processor.ts';
import { fromStripe, toStripe } from './amounts.ts';
import type { Api, Question } from './api.ts';
import { raisedTo, raiseTo } from './authorized.ts';
import { EXPANDED, pathOf, readIntent } from './authorizing.ts';
import { INDIVISIBLE } from './declines.ts';
import { readAtOnce, succeeded, undoneBy, unreadBy } from './grading.ts';
import { lookUpRefund, refund } from './refunding.ts';
import { PaymentIntent } from './wire.ts';

type FollowingRequest = Exclude<OperationRequest, AuthorizationRequest>;

/** The PaymentIntent that it is about; undefined where only our reference is known: a search by it lags. */
export const intentOf = ({ authorization }: FollowingRequest): string | undefined =>
  'reference' in authorization ? undefined : authorization.processorTransactionId;

export async function follow(api: Api, request: FollowingRequest, call: Call): Promise<Outcome> {
  const name = intentOf(request);
  if (name === undefined) return { kind: 'not_sent', detail: 'the PaymentIntent of the authorization is not known' };
  const amount = toStripe(request.amount, request.currencyCode);
  if (amount === undefined) return INDIVISIBLE;
  if (request.operation === 'refund') return refund(api, request, { name, amount }, call);
  const told = await api.ask(questionOf(request, name, amount), call);
  if (told.kind !== 'told') return readAtOnce(undoneBy(told, name), told, () => lookUpFollowUp(api, request, call));
  const { value, detail } = told;
  if (value.id !== name) return { kind: 'unknown', detail: `it answered about another PaymentIntent: ${detail}` };
  const found = doneBy(request, value, detail);
  return found.kind === 'not_found'
    ? { kind: 'unknown', detail: `the PaymentIntent does not show it: ${detail}` }
    : found;
}

/** The request for it; `name`: of the PaymentIntent, `amount` in Stripe's units. */
export function questionOf(
  request: Exclude<FollowingRequest, { readonly operation: 'refund' }>,
  name: string,
  amount: number,
): Question<PaymentIntent> {
  const { operation, reference } = request;
  const common = { method: 'POST', key: reference, shape: PaymentIntent } as const;
  switch (operation) {
    case 'capture':
      return {
        ...common,
        path: `${pathOf(name)}/capture`,
        form: [
          ['amount_to_capture', amount],
          // the rest stays held where the charge allows another capture
          ['final_capture', request.final ? undefined : false],
          [`metadata[${reference}]`, `${CAPTURE}${amount}`],
          EXPANDED,
        ],
      };
    case 'cancellation':
      return {
        ...common,
        path: `${pathOf(name)}/cancel`,
        form: [['cancellation_reason', 'requested_by_customer'], EXPANDED],
      };
    case 'adjustment':
      return {
        ...common,
        path: `${pathOf(name)}/increment_authorization`,
        form: [['amount', amount], [`metadata[${reference}]`, raiseTo(amount)], EXPANDED],
      };
    default:
      return operation satisfies never;
  }
}

export async function lookUpFollowUp(api: Api, request: FollowingRequest, call: Call): Promise<LookUp> {
  const name = intentOf(request);
  if (name === undefined) return { kind: 'not_found' }; // nothing is ever sent without it
  if (request.operation === 'refund') return lookUpRefund(api, request, name, call);
  const told = await readIntent(api, name, call);
  return told.kind === 'told' ? doneBy(request, told.value, told.detail) : unreadBy(told);
}

type Done = Exclude<LookUp, { readonly kind: 'requires_action' | 'unreachable' }>;

/** What the PaymentIntent proves about the operation, whether it answers or is read. */
function doneBy(
  { operation, reference }: Exclude<FollowingRequest, { readonly operation: 'refund' }>,
  intent: PaymentIntent,
  detail: string,
): Done {
  const { id, status, amount, currency, metadata } = intent;
  if (operation !== 'cancellation' && metadata == null)
    return { kind: 'unknown', detail: `the PaymentIntent does not show its notes: ${detail}` };
  const isMarked = metadata?.[reference] !== undefined;
  /** Nothing more can be done with it, whatever is still on its way. */
  const isOver = status === 'canceled' || status === 'succeeded';
  switch (operation) {
    case 'cancellation':
      if (status === 'canceled') return succeeded(id, { amount: 0, currency, detail });
      return status === 'succeeded' ? CAPTURED : { kind: 'not_found' };
    case 'capture':
      if (isMarked) return captured(intent, reference, detail);
      return status === 'succeeded' ? NOTHING_LEFT : isOver ? CLOSED : { kind: 'not_found' };
    case 'adjustment':
      // a later raise, ours or of somebody at Stripe, has another total
      if (isMarked)
        return succeeded(id, { amount: Math.min(raisedTo(metadata?.[reference]) ?? amount, amount), currency, detail });
      return isOver ? CLOSED : { kind: 'not_found' };
    default:
      return operation satisfies never;
  }
}

const CAPTURE = 'capture ';

/** The captures and raises that carry a reference of ours. */
export function notesIn({ metadata, currency }: PaymentIntent): PaymentStanding['ours'] {
  return Object.entries(metadata ?? {}).flatMap(([reference, note]): PaymentStanding['ours'] => {
    const total = raisedTo(note);
    const operation = total === undefined ? 'capture' : 'adjustment';
    const told = total ?? (note.startsWith(CAPTURE) ? Number(note.slice(CAPTURE.length)) : Number.NaN);
    const amount = Number.isSafeInteger(told) ? fromStripe(told, currency) : undefined;
    return amount === undefined ? [] : [{ reference, operation, amount }];
  });
}

/**
 * Its part of what was received: the other captures of the PaymentIntent have notes of their own, and what is beyond
 * all notes was captured by somebody at Stripe.
 */
function captured(intent: PaymentIntent, reference: string, detail: string): Done {
  const { id, currency, amount_received: received, latest_charge: charge, metadata } = intent;
  const noted = (note: string | undefined): number => Number(note?.slice(CAPTURE.length));
  const others = Object.entries(metadata ?? {}).filter(([key, note]) => key !== reference && note.startsWith(CAPTURE));
  const before = others.reduce((sum, [, note]) => sum + noted(note), 0);
  const amount = Math.min((received ?? 0) - before, noted(metadata?.[reference]));
  if (!(amount > 0)) return { kind: 'unknown', detail: `the capture is noted, and nothing was received: ${detail}` };
  return succeeded(typeof charge === 'string' ? charge : (charge?.id ?? id), { amount, currency, detail });
}

/** What was captured can no longer be released. */
const NOTHING_LEFT: Declined = { kind: 'declined', code: 'NOTHING_TO_CAPTURE', declineType: 'HARD' };
const CLOSED: Declined = { kind: 'declined', code: 'AUTHORIZATION_CLOSED', declineType: 'HARD' };
const CAPTURED: Declined = { kind: 'declined', code: 'NOTHING_TO_CANCEL', declineType: 'HARD' };
