// The state that the parts of one checkout share: the session, the current work, and the payment.
import type { Payment, Refused, Session } from './pay/answers.ts';
import type { CheckoutService } from './pay/service.ts';
import type { Runs } from './runs.ts';
import type { Shop } from './shop.ts';
import type { Stage } from './stage.ts';
import type { Notice } from './words/words.ts';

export interface Checkout {
  readonly shop: Shop;
  readonly stage: Stage;
  readonly runs: Runs;
  /** The service, called with the current client token. */
  readonly service: CheckoutService;
  readonly sessionId: string;
  readonly isTest: boolean;
  /** True if a payment is in progress or over, so that nothing can change. */
  isBusy: boolean;
  /** True if the shopper has pressed the button on this page. Otherwise the payment was found when the page loaded. */
  hasPaid: boolean;
  /** Shows the state of a payment and continues from there. */
  settle(payment: Payment): Promise<void>;
  /** Shows the form, for a session without a payment. `isDecline`: the notice comes from an issuer or a processor. */
  showForm(session: Session, notice?: Notice, isDecline?: boolean): void;
  /** The session cannot be read, or paid, with this token. */
  refuseSession(refused: Refused): void;
}
