// Card errors: how Stripe words what an issuer declines.
import type { Decline } from './cards.ts';
import type { ErrorBody } from './failure.ts';

/** Codes that are the error's own, without a `decline_code`. */
const OWN_CODES: ReadonlySet<string> = new Set([
  'authentication_required',
  'expired_card',
  'incorrect_cvc',
  'incorrect_number',
  'incorrect_zip',
  'incorrect_address',
  'invalid_cvc',
  'invalid_expiry_month',
  'invalid_expiry_year',
  'processing_error',
]);

export function declineBody({ declineCode, adviceCode, networkDeclineCode }: Decline): ErrorBody {
  const isOwn = OWN_CODES.has(declineCode);
  return {
    type: 'card_error',
    code: isOwn ? declineCode : 'card_declined',
    ...(isOwn && declineCode !== 'authentication_required' ? {} : { decline_code: declineCode }),
    ...(adviceCode === undefined ? {} : { advice_code: adviceCode }),
    ...(networkDeclineCode === undefined ? {} : { network_decline_code: networkDeclineCode }),
    message: 'Your card was declined.',
  };
}
