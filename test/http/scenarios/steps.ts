// Steps of scenarios that go well, and the lines that they leave in the sandbox's ledger.
import type { Step } from './scenario.ts';

const AUTHORIZED = 'PaymentCreated AuthorizationRequested PaymentAuthorized/answer';
export const PAID: Step = ['pay', '200 AUTHORIZED', AUTHORIZED];
export const CAPTURED: Step = ['capture', '200 SETTLED', 'CaptureRequested PaymentCaptured/answer'];
export const ESTIMATED: Step = [
  'pay {"paymentMethod": {"authorizationType": "ESTIMATED"}}',
  '200 AUTHORIZED',
  AUTHORIZED,
];
export const UNKNOWN = 'PaymentCreated AuthorizationRequested AuthorizationOutcomeUnknown/answer';
export const AUTHORIZATION = 'authorization succeeded 1000 EUR';
export const CAPTURE = 'capture succeeded 1000 EUR';
export const VOID = 'cancellation succeeded 0 EUR';

/** The step of a card whose customers dispute each capture. */
export const OPENED: Step = ['after 5s', 'SETTLED, dispute OPEN', 'DisputeOpened/notification', 'dispute.opened 202'];
/** The notification of the result of a dispute. */
export const DISPUTE_TOLD = 'dispute.updated 202';
