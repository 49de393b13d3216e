// The state that a shop's page hears while the form shows a notice.
import type { CheckoutState } from '../../sdk/public.ts';
import type { Notice } from '../words/words.ts';

const OUTAGES: ReadonlySet<Notice> = new Set(['unavailable', 'tooManyAttempts']);

/** `isDecline`: an issuer or a processor has refused the card. Whatever else the form says is not about the card. */
export function stateOf(notice: Notice | undefined, isDecline: boolean, isComplete: boolean): CheckoutState {
  if (isDecline) return 'declined';
  if (notice !== undefined && OUTAGES.has(notice)) return 'unavailable';
  return isComplete ? 'ready' : 'incomplete';
}
