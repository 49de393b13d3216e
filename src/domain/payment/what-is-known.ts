// The meaning of a fact, in a sentence: made when it is shown, out of the event's members.
import { inCurrency } from '../money.ts';
import type { Operation } from '../operation.ts';
import { declineReason } from './decline-reason.ts';
import type { Fact, PaymentEvent } from './events.ts';
import {
  isDeclined,
  isNotFound,
  isNotSent,
  isOutcomeUnknown,
  isOutside,
  isPending,
  isReturned,
  isSucceeded,
} from './fact-names.ts';

/** Undefined for an event that says nothing about an attempt. An operator's own words stay as they are. */
export function whatIsKnown(event: PaymentEvent, operation: Operation): string | undefined {
  const { data } = event;
  const detail = 'evidence' in data && data.evidence?.source !== 'clock' ? data.evidence?.detail : undefined;
  if ('evidence' in data && data.evidence?.source === 'operator') return detail;
  if (isSucceeded(event)) return done(event.data);
  if (isDeclined(event) && event.data.refused === true) return `The processor refused the request${because(detail)}`;
  if (isOutside(event))
    return `Somebody did this at the processor, which reports ${inCurrency(event.data.amount, event.data.currencyCode)}.`;
  if (isDeclined(event))
    return `The processor refused the request. ${declineReason(event.data, operation).message ?? ''}`.trim();
  if (isPending(event)) return 'The processor accepted the request and will report the result later.';
  if (isNotSent(event)) return `The request never reached the processor${because(detail)}`;
  if (isOutcomeUnknown(event)) return `The outcome is not known${because(detail)}`;
  if (isNotFound(event)) return 'The processor does not know the reference.';
  if (isReturned(event))
    return `The processor reports a return of ${inCurrency(event.data.amount, event.data.currencyCode)}.`;
  switch (event.type) {
    case 'SuccessConfirmed':
    case 'LateSuccessRecorded':
      return done(event.data);
    case 'OutcomeRepeated':
      return 'The processor reports the same outcome again.';
    case 'MismatchRecorded':
      return `${done(event.data)} That differs from the request.`;
    case 'LookUpRecorded':
      return `${LOOKED_UP[event.data.answer]}${because(detail)}`;
    case 'AttemptFenced':
      return 'The attempt can no longer take effect.';
    case 'AuthorizationPrepared':
      return 'The processor has made the authorization ready. Nothing is held yet.';
    case 'CustomerActionRequired':
      return 'The processor is waiting for the customer.';
    case 'AuthenticationCompleted':
      return isAuthenticated(event) ? 'The customer was authenticated.' : 'The customer was not authenticated.';
    case 'CustomerActionExpired':
      return 'The customer did not act in time.';
    case 'StandingRecorded':
      return standingWords(event.data);
    case 'AuthorizationExpired':
      return event.data.evidence?.source === 'clock'
        ? 'The hold ended by our clock. The processor cannot be asked.'
        : detail;
    case 'DisputeAnswerDeclined':
      return 'The processor refused the response.';
    case 'DisputeAnswerPending':
      return `${DISPUTE_LOOKED_UP.pending}.`;
    case 'DisputeAnswerNotSent':
      return `The response never reached the processor${because(detail)}`;
    case 'DisputeAnswerOutcomeUnknown':
      return `The outcome of the response is not known${because(detail)}`;
    case 'DisputeAnswerNotFound':
      return 'The dispute is still open at the processor: the response never arrived.';
    case 'DisputeLookUpRecorded':
      return `${DISPUTE_LOOKED_UP[event.data.answer]}${because(detail)}`;
    case 'DisputeExpired':
      return event.data.evidence.source === 'clock'
        ? 'The response period ended by our clock. The processor could not be asked.'
        : detail;
    default:
      return undefined;
  }
}

/** True if the processor reported an authenticated customer; an unknown result says nothing else. */
export const isAuthenticated = ({ data: { threeDSecure } }: Fact<'AuthenticationCompleted'>): boolean =>
  threeDSecure['responseCode'] !== 'AUTH_FAILED';

function standingWords({
  answer,
  captured = 0,
  capturable = 0,
  refunded = 0,
  currencyCode = '',
}: Fact<'StandingRecorded'>['data']): string {
  switch (answer) {
    case 'changed':
      return 'The processor reports a change. The payment is read there.';
    case 'unreachable':
      return 'The processor did not answer the read.';
    case 'agrees':
      return 'The processor shows what is recorded here.';
    case 'differs': {
      const shown = [`${inCurrency(captured, currencyCode)} captured`, `${inCurrency(capturable, currencyCode)} held`];
      return `The processor shows ${shown.join(', ')} and ${inCurrency(refunded, currencyCode)} refunded. No rule explains the difference; an operator closes it.`;
    }
    default:
      return answer satisfies never;
  }
}

const LOOKED_UP = {
  succeeded: 'The processor reports success',
  declined: 'The processor reports a refusal',
  requires_action: 'The processor is waiting for the customer',
  pending: 'The processor accepted the request and will report the result later',
  unknown: 'The processor does not report an outcome',
  not_found: 'The processor does not know the reference',
  not_sent: 'The request never reached the processor',
  unreachable: 'The processor did not answer the look-up',
} as const;

const DISPUTE_LOOKED_UP = {
  pending: 'The processor accepted the response and will report the result later',
  not_found: 'The processor has not received the response yet',
  unreachable: 'The processor did not answer the look-up',
  still_open: 'The dispute is still open at the processor, although its response period is over',
  undecided: 'The processor has no decision on the dispute yet',
  untold: 'The processor does not show the dispute: only a notification reports the decision',
} as const;

const because = (detail: string | undefined): string => (detail === undefined ? '.' : `: ${detail}.`);

/** The amount, because it may differ from the requested one; a void may have none. */
const done = ({
  amount,
  currencyCode,
}: {
  readonly amount?: number | undefined;
  readonly currencyCode?: string | undefined;
}): string =>
  amount === undefined || currencyCode === undefined
    ? 'The processor reports success.'
    : `The processor reports success: ${inCurrency(amount, currencyCode)}.`;
