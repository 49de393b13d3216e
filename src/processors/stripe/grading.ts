// What an answer of Stripe proves about the operation that was asked for (contract §1).
import type { LookUp, Outcome, Succeeded, TakenBack } from '../../domain/payment/outcome.ts';
import { fromStripe } from './amounts.ts';
import type { StripeAnswer } from './api.ts';
import { declinedBy, ERROR_CODES, ownOf, REFUSED } from './declines.ts';

type Unanswered = Exclude<StripeAnswer<unknown>, { readonly kind: 'told' }>;
type Undone = Extract<Outcome, { readonly kind: 'declined' | 'refused' | 'not_sent' | 'unknown' }>;

/**
 * The outcome of an operation that was not answered with its object. `name`: the processor's name of what is declined;
 * an error that shows another PaymentIntent is of another request.
 */
export function undoneBy(told: Unanswered, name?: string): Undone {
  if (told.kind === 'not_sent') return told;
  const unknown = { kind: 'unknown', detail: told.detail } as const;
  if (told.kind === 'unclear') return unknown;
  const { status, error, detail } = told;
  const shown = error.payment_intent?.id;
  if (name !== undefined && shown !== undefined && shown !== name)
    return { kind: 'unknown', detail: `the error is about another PaymentIntent: ${detail}` };
  switch (status) {
    case 402:
      return declinedBy(error, name);
    case 400:
      return undoneByRequest(told, unknown, name);
    case 401:
    case 403:
      return { kind: 'not_sent', detail };
    case 404:
      // the card, not the PaymentIntent: it is looked for before anything is done
      return ['confirmation_token', 'payment_method'].includes(error.param ?? '')
        ? { kind: 'declined', code: 'CARD_UNKNOWN', declineType: 'HARD' }
        : unknown;
    case 429:
      return ownOf(ERROR_CODES, error.code ?? '') === 'not_sent' ? { kind: 'not_sent', detail } : unknown;
    default:
      return unknown;
  }
}

function undoneByRequest(
  { error, detail }: Extract<Unanswered, { readonly kind: 'error' }>,
  unknown: Extract<Outcome, { readonly kind: 'unknown' }>,
  name: string | undefined,
): Undone {
  // Another use of the key: the first one may have moved money.
  if (error.type !== 'invalid_request_error' && error.type !== 'card_error') return unknown;
  // Sent with a confirmation alone: Stripe refuses a token that was used, or is over, before it does anything.
  if (error.param === 'confirmation_token') return { kind: 'declined', code: 'CARD_DETAILS_USED', declineType: 'HARD' };
  const row = ownOf(ERROR_CODES, error.code ?? '') ?? { refused: REFUSED };
  switch (row) {
    case 'declined':
      return declinedBy(error, name);
    case 'not_sent':
      return { kind: 'not_sent', detail };
    case 'unclear':
      return unknown;
    default:
      return { kind: 'refused', code: row.refused, detail: withWords(detail, error.message) };
  }
}

/** With Stripe's own sentence, as evidence for people. */
const withWords = (detail: string, message: string | null | undefined): string =>
  message == null ? detail : `${detail}: ${message}`;

/**
 * What Stripe has answered without an outcome is read at once: another state, a request that runs, a fault of its own.
 * A read that shows nothing proves nothing.
 */
export async function readAtOnce(
  undone: Undone,
  told: Unanswered,
  read: () => Promise<LookUp | TakenBack>,
): Promise<Outcome> {
  const isAnswered = told.kind === 'error' || (told.kind === 'unclear' && (told.status ?? 0) >= 500);
  if (undone.kind !== 'unknown' || !isAnswered) return undone;
  const found = await read();
  switch (found.kind) {
    case 'succeeded':
    case 'declined':
    case 'requires_action':
    case 'pending':
      return found;
    default:
      return undone;
  }
}

/** A read that was not answered with what was asked for; a missing object is Stripe's own word, and settles nothing. */
export function unreadBy(told: Unanswered): Extract<LookUp, { readonly kind: 'unknown' | 'unreachable' }> {
  const isWord = told.kind === 'error' && told.status === 404;
  return { kind: isWord ? 'unknown' : 'unreachable', detail: told.detail };
}

/** The success that Stripe reports, in our units, whatever was asked for. */
export function succeeded(
  processorTransactionId: string,
  { amount, currency, detail }: { readonly amount: number; readonly currency: string; readonly detail: string },
  authorization?: Succeeded['authorization'],
): Succeeded | Extract<LookUp, { readonly kind: 'unknown' }> {
  const ours = fromStripe(amount, currency);
  if (ours === undefined)
    return { kind: 'unknown', detail: `its amount has a fraction in our units of ${currency}: ${detail}` };
  const currencyCode = currency.toUpperCase();
  return {
    kind: 'succeeded',
    processorTransactionId,
    amount: ours,
    currencyCode,
    ...(authorization !== undefined && { authorization }),
  };
}
