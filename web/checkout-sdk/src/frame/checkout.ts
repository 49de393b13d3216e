// What the parts of one checkout share: the session that is paid, the work that counts, and where a payment goes on.
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
  /** With the client token of now. */
  readonly service: CheckoutService;
  readonly sessionId: string;
  readonly isTest: boolean;
  /** Whether a payment is under way, or over: there is nothing to change. */
  isBusy: boolean;
  /** Whether the shopper has pressed the button on this page; a payment without it was found when the page was loaded. */
  hasPaid: boolean;
  /** Shows where a payment stands, and goes on from there. */
  settle(payment: Payment): Promise<void>;
  /** Shows the form, for a session without a payment. `isDecline`: the notice is the word of an issuer or a processor. */
  showForm(session: Session, notice?: Notice, isDecline?: boolean): void;
  /** The session cannot be read, or paid, with this token. */
  refuseSession(refused: Refused): void;
}
