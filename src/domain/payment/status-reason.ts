// Why a payment or an attempt stands as it does, in the words of contract §4: made when it is shown, out of what its
// events hold.
import { declineReason } from './decline-reason.ts';
import type { Reason } from './outcome.ts';
import type { AnswerToDispute, Cause } from './payment.ts';

const TIMEOUT: Reason = { type: 'GATEWAY_TIMEOUT', message: 'The processor has not confirmed the outcome yet.' };
const NEVER_SEEN: Reason = { type: 'GATEWAY_TIMEOUT', message: 'The processor never received the request.' };
const DID_NOT_HAPPEN: Reason = {
  type: 'GATEWAY_TIMEOUT',
  message: 'An operator confirmed that the operation did not happen.',
};
const NOT_SENT: Reason = { type: 'GATEWAY_UNAVAILABLE', message: 'The processor could not be reached.' };
const MISMATCH: Reason = {
  type: 'APPLICATION_ERROR',
  message: 'The processor reported a different amount or currency than requested.',
};
const RETURNED: Reason = { type: 'ISSUER_DECLINE', message: 'The operation succeeded but was returned later.' };
const OVERTAKEN: Reason = {
  type: 'APPLICATION_ERROR',
  message: 'The dispute moved on before this response took effect.',
};
const NOT_AUTHENTICATED: Reason = {
  type: 'AUTHENTICATION_REQUIRED',
  message: 'The customer was not authenticated in time.',
};
const NOT_PAID: Reason = { type: 'PAYMENT_EXPIRED', message: 'The customer did not pay in time.' };
const AWAITING_FUNDS: Reason = {
  type: 'AWAITING_FUNDS',
  message: 'The money is on its way, or the customer has yet to send it. This may take days.',
};

/** The public reason. */
export function statusReason({ because, operation, code, declineType }: Cause): Reason {
  switch (because) {
    case 'declined':
    case 'returned':
      return code === undefined || declineType === undefined
        ? RETURNED
        : declineReason({ code, declineType }, operation);
    case 'unknown':
      return TIMEOUT;
    case 'not_sent':
      return NOT_SENT;
    case 'not_found':
      return NEVER_SEEN;
    case 'did_not_happen':
      return DID_NOT_HAPPEN;
    case 'mismatched':
      return MISMATCH;
    case 'action_expired':
      return NOT_AUTHENTICATED;
    case 'not_paid':
      return NOT_PAID;
    case 'awaiting_funds':
      return AWAITING_FUNDS;
    default:
      return because satisfies never;
  }
}

/** The reason for the state of a response to a dispute; undefined if nothing needs an explanation. */
export function answerReason(answer: AnswerToDispute): Reason | undefined {
  switch (answer.state) {
    case 'open':
    case 'pending':
    case 'succeeded':
      return undefined;
    case 'overtaken':
      return OVERTAKEN;
    case 'unknown':
      return TIMEOUT;
    case 'not_sent':
      return NOT_SENT;
    case 'not_found':
      return NEVER_SEEN;
    case 'declined':
      return {
        type: 'APPLICATION_ERROR',
        code: answer.code,
        message: 'The processor no longer accepts such a response to the dispute.',
      };
    default:
      return answer satisfies never;
  }
}
