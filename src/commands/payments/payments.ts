// Payments as a subject: the commands for callers, operators, processors and policies.
import pLimit from 'p-limit';
import { type Bound, bind } from '../bind.ts';
import { acceptDispute, submitEvidence } from './answer-dispute.ts';
import { recordFact } from './attempt.ts';
import { authorizeCheckoutPayment, authorizePayment } from './authorize-payment.ts';
import { adjustAuthorization, cancelPayment, capturePayment, refundPayment } from './change-payment.ts';
import { chargeAgreement } from './charge-agreement.ts';
import { displaceSessionClaim } from './claims.ts';
import { giveUpPaymentAction, requiredActionToken, resumePayment } from './customer-action.ts';
import { dryRunAuthorization, dryRunCancellation, dryRunCapture, dryRunRefund } from './dry-run.ts';
import { dryRunSession } from './dry-run-session.ts';
import {
  expireAuthorization,
  giveClaimsBack,
  lookAtChanged,
  lookUpDueDisputes,
  lookUpPayment,
  releaseSessionClaim,
  releaseTokenClaim,
  settleEndedCharge,
} from './due-work.ts';
import { fenceOrphan } from './fence-attempt.ts';
import { LOOK_UPS_AT_ONCE } from './look-up-attempts.ts';
import type { PaymentNeeds, PaymentParts } from './needs.ts';
import { readStanding } from './read-standing.ts';
import { resolvePayment } from './resolve-payment.ts';
import { ResumeTokens } from './resume-tokens.ts';
import { retryCharges } from './retry-charges.ts';
import { routeOffer } from './route-payment.ts';
import { settleOpenCharges } from './settle-charge.ts';
import { WatchedAttempts } from './watched-attempts.ts';

/** The functions of a service together with those that payments make themselves. */
export const paymentNeeds = (parts: PaymentParts): PaymentNeeds => ({
  watched: new WatchedAttempts(parts.world),
  dueLookUps: pLimit(LOOK_UPS_AT_ONCE),
  waitingReads: new Map(),
  resumeTokens: new ResumeTokens(parts),
  ...parts,
});

const COMMANDS = {
  authorizePayment,
  authorizeCheckoutPayment,
  chargeAgreement,
  capturePayment,
  cancelPayment,
  refundPayment,
  adjustAuthorization,
  dryRunAuthorization,
  dryRunCapture,
  dryRunCancellation,
  dryRunRefund,
  dryRunSession,
  resumePayment,
  giveUpPaymentAction,
  requiredActionToken,
  routeOffer,
  submitEvidence,
  acceptDispute,
  resolvePayment,
  recordFact,
  readStanding,
  fenceOrphan,
  displaceSessionClaim,
  lookAtChanged,
  lookUpPayment,
  lookUpDisputes: lookUpDueDisputes,
  expireAuthorization,
  releaseSessionClaim,
  releaseTokenClaim,
  giveClaimsBack,
  settleOpenCharges,
  settleEndedCharge,
  retryCharges,
};

export type Payments = Bound<typeof COMMANDS>;
export const makePayments = (parts: PaymentParts): Payments => bind(paymentNeeds(parts), COMMANDS);
