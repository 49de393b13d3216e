// Payments as a subject: the functions for callers, operators, processors and policies.
import pLimit from 'p-limit';
import { waitingAuthorization } from '../../domain/payment/authentication.ts';
import type { Evidence } from '../../domain/payment/outcome.ts';
import type { KnownPayment } from '../../domain/payment/payment.ts';
import type { Context } from '../../journal/context.ts';
import { makeDisputeAnswers } from './answer-dispute.ts';
import { authorizeCheckoutPayment, authorizePayment } from './authorize-payment.ts';
import { makePaymentChanges } from './change-payment.ts';
import { displaceSessionClaim } from './claims.ts';
import { concludePayment } from './conclude-payment.ts';
import { makeDueWork } from './due-work.ts';
import { fenceOrphan } from './fence-attempt.ts';
import { giveUpPaymentAction } from './give-up-action.ts';
import { LOOK_UPS_AT_ONCE, lookUpAttempts } from './look-up-attempts.ts';
import type { PaymentNeeds, PaymentParts } from './needs.ts';
import { recordFact } from './pursue-attempts.ts';
import { readStanding } from './read-standing.ts';
import { resolvePayment } from './resolve-payment.ts';
import { resumePayment } from './resume-payment.ts';
import { ResumeTokens } from './resume-tokens.ts';
import { routeOffer } from './route-payment.ts';
import { WatchedAttempts } from './watched-attempts.ts';

export type Payments = ReturnType<typeof makePayments>;

/** The functions of a service together with those that payments make themselves. */
export const paymentNeeds = (parts: PaymentParts): PaymentNeeds => ({
  watched: new WatchedAttempts(parts.world),
  dueLookUps: pLimit(LOOK_UPS_AT_ONCE),
  waitingReads: new Map(),
  resumeTokens: new ResumeTokens(parts),
  ...parts,
});

export function makePayments(parts: PaymentParts) {
  const needs = paymentNeeds(parts);
  return {
    authorizePayment: authorizePayment(needs),
    authorizeCheckoutPayment: authorizeCheckoutPayment(needs),
    ...makePaymentChanges(needs),
    resumePayment: resumePayment(needs),
    giveUpPaymentAction: giveUpPaymentAction(needs),
    requiredActionToken: requiredActionToken(needs),
    /** Where a method of a session is entered; see routeOffer. */
    routeOffer: (asked: Parameters<typeof routeOffer>[1]) => routeOffer(needs, asked),
    ...makeDisputeAnswers(needs),
    resolvePayment: resolvePayment(needs),
    recordFact: recordFactOf(needs),
    /** Looks up what is open of a payment that its processor says has changed, and does the follow-ups. */
    lookAtChanged: async (paymentId: string, context: Context): Promise<void> => {
      const looked = await lookUpAttempts(needs, paymentId, 'all', context);
      await concludePayment(needs, paymentId, looked, context);
    },
    /** Reads the payment as a whole at its processor; `word`: why. */
    readStanding: (paymentId: string, context: Context, word?: Evidence) =>
      readStanding(needs, paymentId, context, word),
    fenceOrphan: fenceOrphan(needs),
    /** Takes a session back from a payment that is over; false while the payment holds the session. */
    displaceSessionClaim: (sessionId: string, context: Context) => displaceSessionClaim(needs, sessionId, context),
    ...makeDueWork(needs),
  };
}

/** Records a processor's report about a payment, and does the follow-ups; see recordFact. */
const recordFactOf =
  (needs: PaymentNeeds) =>
  (paymentId: string, context: Context, decide: Parameters<typeof recordFact>[3]): ReturnType<typeof recordFact> =>
    recordFact(needs, paymentId, context, decide);

/**
 * The client token with which the browser goes on with a required action (contract §4). It is valid as long as the
 * action, and the same for the same action, so that a replayed answer has the first one's. Undefined without a session.
 */
const requiredActionToken =
  ({ tokens }: Pick<PaymentNeeds, 'tokens'>) =>
  (payment: KnownPayment): string | undefined => {
    const { sessionId, accountId } = payment;
    const waiting = waitingAuthorization(payment);
    if (sessionId === undefined || waiting === undefined) return undefined;
    return tokens.issue({ sessionId, accountId, issuedAt: waiting.requiredAt, expiresAt: waiting.expiresAt });
  };
