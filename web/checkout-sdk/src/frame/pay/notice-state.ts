// The state that a shop's page hears while the form shows a notice.
import type { CheckoutState } from '../../sdk/public.ts';
import type { Notice } from '../words/words.ts';

/** Only an answer about the card is a decline: an outage says nothing about it. */
export function stateOf(notice: Notice | undefined): CheckoutState {
  switch (notice) {
    case undefined:
    case 'amountChanged':
    case 'lastAttempt':
    case 'givenUp':
      return 'ready';
    case 'unavailable':
    case 'tooManyAttempts':
      return 'unavailable';
    case 'declined':
    case 'insufficientFunds':
    case 'incorrectCvc':
    case 'expiredCard':
    case 'tryLater':
    case 'needsAuthentication':
    case 'authenticationFailed':
    case 'notSent':
    case 'cardGone':
    case 'cardRefused':
      return 'declined';
    default:
      return notice satisfies never;
  }
}
