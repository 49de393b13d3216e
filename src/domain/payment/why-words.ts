// A step of a payment in a sentence: the request that was made, or the word that came. Words are made when they are
// shown.
import { inCurrency } from '../in-currency.ts';
import type { Operation } from '../operation.ts';
import { shownWords, titleOf, toldBy } from './event-words.ts';
import type { PaymentEvent } from './events.ts';
import { isRequested, operationOf, type RequestedEvent } from './fact-names.ts';

const VERB: { readonly [O in Operation]: string } = {
  authorization: 'to authorize',
  capture: 'to capture',
  cancellation: 'to release the authorization',
  refund: 'to refund',
  adjustment: 'to adjust the authorization to',
};
const BECAUSE: { readonly [B in NonNullable<RequestedEvent['data']['follows']>['because']]: string } = {
  authentication_required: 'The issuer requires the customer to authenticate first.',
  with_authorization: 'The money was taken with the authorization: there is nothing left to capture.',
  fallback: 'The rules of routing ask another connection after such an outcome.',
  automatic_capture: 'The payment is captured as soon as it is authorized.',
  intended_cancellation: 'The cancellation was requested before the outcome of the authorization was known.',
  answer_mismatch: 'A success with a different amount or currency than requested is being reversed.',
  late_success: 'An unexpected success is being reversed.',
};

/** `who`: the actor, as the beginning of a sentence. `timeOf` writes a time (ms) for the reader. */
export function whyWords(
  event: PaymentEvent,
  operation: Operation | undefined,
  who: string,
  timeOf: (ms: number) => string,
): string {
  if (event.type === 'PaymentCreated') {
    const { amount, currencyCode, orderId, shown } = event.data;
    const asked = `${who} asked for a payment of ${inCurrency(amount, currencyCode)} for ${orderId}.`;
    return shown === undefined ? asked : `${asked} ${shownWords(shown)}`;
  }
  if (isRequested(event)) return requestWords(event, who);
  if (event.type === 'DisputeAnswerRequested')
    return `${who} asked ${event.data.answer === 'evidence' ? 'to challenge the dispute with evidence' : 'to accept the dispute'}. The request was allowed, and recorded before the call.`;
  if (event.type === 'DisputeEvidenceDrafted') return `${who} saved evidence for the dispute.`;
  const told = toldBy(event, operation, timeOf);
  const title = titleOf(event, operation);
  return told === undefined ? `${title}.` : `${title}: ${told.replace(/[^.!?]$/, '$&.')}`;
}

function requestWords(event: RequestedEvent, who: string): string {
  const { data } = event;
  const verb = VERB[operationOf(event)];
  const what = 'amount' in data ? `${verb} ${inCurrency(data.amount, data.currencyCode)}` : verb;
  const reason =
    'reason' in data && data.reason !== undefined ? ` Reason: ${data.reason.replace(/[^.!?]$/, '$&.')}` : '';
  if (data.follows === undefined)
    return `${who} asked ${what}. The request was allowed, and recorded before the call.${reason}`;
  return `The service decided ${what}. ${BECAUSE[data.follows.because]}`;
}
