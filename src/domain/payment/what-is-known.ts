// The meaning of a fact, in a sentence: made when it is shown, out of the event's members.
import { inCurrency } from '../in-currency.ts';
import type { Operation } from '../operation.ts';
import { declineReason } from './decline-reason.ts';
import type { Fact, PaymentEvent } from './events.ts';
import { isDeclined, isNotFound, isNotSent, isOutcomeUnknown, isPending, isReturned, isSucceeded } from './fact-names.ts';

/** Undefined for an event that tells nothing of an attempt. An operator's own words stay as they are. */
export function whatIsKnown(event: PaymentEvent, operation: Operation): string | undefined {
  const { data } = event;
  const detail = 'evidence' in data && data.evidence?.source !== 'clock' ? data.evidence?.detail : undefined;
  if ('evidence' in data && data.evidence?.source === 'operator') return detail;
  if (isSucceeded(event)) return done(event.data);
  if (isDeclined(event)) return `The processor says that it was refused. ${declineReason(event.data, operation).message ?? ''}`.trim();
  if (isPending(event)) return 'The processor has accepted it and tells later.';
  if (isNotSent(event)) return `It never reached the processor${because(detail)}`;
  if (isOutcomeUnknown(event)) return `What became of it is not known${because(detail)}`;
  if (isNotFound(event)) return 'The processor does not know the reference.';
  if (isReturned(event)) return `The processor says that it came back: ${inCurrency(event.data.amount, event.data.currencyCode)}.`;
  switch (event.type) {
    case 'SuccessConfirmed':
    case 'LateSuccessRecorded':
      return done(event.data);
    case 'OutcomeRepeated':
      return 'The processor says so again.';
    case 'MismatchRecorded':
      return `${done(event.data)} That is not what was asked for.`;
    case 'LookUpRecorded':
      return `${LOOKED_UP[event.data.answer]}${because(detail)}`;
    case 'AttemptFenced':
      return 'It can take no effect any more.';
    case 'CustomerActionRequired':
      return 'The processor waits for the customer.';
    case 'AuthenticationCompleted':
      return isAuthenticated(event) ? 'The customer was authenticated.' : 'The customer was not authenticated.';
    case 'CustomerActionExpired':
      return 'The customer has not done what was asked.';
    case 'DisputeAnswerDeclined':
      return 'The processor refused the answer.';
    case 'DisputeAnswerPending':
      return `${DISPUTE_LOOKED_UP.pending}.`;
    case 'DisputeAnswerNotSent':
      return `The answer never reached the processor${because(detail)}`;
    case 'DisputeAnswerOutcomeUnknown':
      return `What became of the answer is not known${because(detail)}`;
    case 'DisputeAnswerNotFound':
      return 'The processor still has the dispute open: the answer never arrived.';
    case 'DisputeLookUpRecorded':
      return `${DISPUTE_LOOKED_UP[event.data.answer]}${because(detail)}`;
    case 'DisputeExpired':
      return event.data.evidence.source === 'clock' ? 'Its time was over by our clock; the processor could not be asked.' : detail;
    default:
      return undefined;
  }
}

/** Whether the processor told that the customer was authenticated; a word of it that is not ours says nothing else. */
export const isAuthenticated = ({ data: { threeDSecure } }: Fact<'AuthenticationCompleted'>): boolean =>
  threeDSecure['responseCode'] !== 'AUTH_FAILED';

const LOOKED_UP = {
  succeeded: 'The processor says that it was done',
  declined: 'The processor says that it was refused',
  requires_action: 'The processor waits for the customer',
  pending: 'The processor has accepted it and tells later',
  unknown: 'The processor does not say what became of it',
  not_found: 'The processor does not know the reference',
  not_sent: 'It never reached the processor',
  unreachable: 'The processor did not answer the look-up',
} as const;

const DISPUTE_LOOKED_UP = {
  pending: 'The processor has taken the answer and tells later',
  not_found: 'The processor has not received the answer, or not yet',
  unreachable: 'The processor did not answer the look-up',
  still_open: 'The processor still has the dispute open, although its time is over',
  undecided: 'The processor has no decision on the dispute yet',
  untold: 'The processor does not show the dispute: only its notification tells the decision',
} as const;

const because = (detail: string | undefined): string => (detail === undefined ? '.' : `: ${detail}.`);

/** The amount, because it may differ from the requested one; a void may have none. */
const done = ({ amount, currencyCode }: { readonly amount?: number | undefined; readonly currencyCode?: string | undefined }): string =>
  amount === undefined || currencyCode === undefined
    ? 'The processor says that it was done.'
    : `The processor says that it was done: ${inCurrency(amount, currencyCode)}.`;
