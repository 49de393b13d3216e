// Claims a session and a token for a payment that is about to be made, and agrees its terms with the session as it was claimed.
import { claimSession as decideClaim } from '../../domain/client-session/decide.ts';
import { allowsNetwork } from '../../domain/client-session/queries.ts';
import { type Decision, type Rejection, reject } from '../../domain/decider.ts';
import type { Payment } from '../../domain/payment/payment.ts';
import { type PaymentTerms, paymentTerms, vaultingChosen } from '../../domain/payment/terms.ts';
import { claimInstrument, type InstrumentClaim } from '../../domain/payment-instrument/decide.ts';
import { transact } from '../../journal/transact.ts';
import type { Answer, Caller } from '../caller.ts';
import { refuseCaptureMode } from '../capture-scope.ts';
import type { Effect, Worked } from '../effect.ts';
import type { Authorization } from './admit-authorization.ts';
import { badInstrument, claimableToken, claimToken, displaceSessionClaim } from './claims.ts';
import type { ConcludeNeeds } from './needs.ts';
import { withdrawPayment } from './withdraw-payment.ts';

/** The session first, then the token (architecture, "One payment, three streams"). A refusal leaves neither claimed. */
export async function claimForPayment(
  needs: ConcludeNeeds,
  asked: Authorization,
  caller: Caller,
  effect: Effect,
): Promise<PaymentTerms | Worked<Answer<Payment>>> {
  const { context, resourceId: paymentId } = effect;
  const terms =
    asked.sessionId === undefined
      ? paymentTerms(asked.fields)
      : await claimSession(needs, { ...asked, sessionId: asked.sessionId }, caller, effect);
  if ('kind' in terms) {
    // An earlier try under the same key, or another node, has got as far as the session; it had another token.
    const isHeld = terms.errorId === 'InvalidPaymentInstrumentToken' && (await isHolder(needs, asked.sessionId, paymentId));
    return isHeld ? withdrawPayment(needs, asked, terms, effect) : { answer: terms, appended: false };
  }
  const refusal = await claimToken(needs, asked.paymentMethodToken, tokenClaim(needs, terms, caller, paymentId), context);
  return refusal === undefined ? terms : withdrawPayment(needs, asked, refusal, effect);
}

async function isHolder(needs: ConcludeNeeds, sessionId: string | undefined, paymentId: string): Promise<boolean> {
  if (sessionId === undefined) return false;
  const { state } = await needs.sessions.current(sessionId);
  return state.status === 'open' && state.payment?.paymentId === paymentId;
}

const tokenClaim = (
  { timings }: ConcludeNeeds,
  { customerId }: PaymentTerms,
  { accountId, at, sessionId }: Caller,
  paymentId: string,
): InstrumentClaim => ({
  paymentId,
  accountId,
  at,
  abandonAfter: at + timings.abandonAfterMs,
  ...(sessionId !== undefined && { sessionId }),
  ...(customerId !== undefined && { customerId }),
});

/** The session's claim and, at the revision that it was made at, the terms of the payment. */
async function claimSession(
  needs: ConcludeNeeds,
  { sessionId, fields, paymentMethodToken, vaultOnSuccess, shown }: Authorization & { readonly sessionId: string },
  caller: Caller,
  { context, resourceId: paymentId }: Effect,
): Promise<PaymentTerms | Rejection> {
  let token = (await needs.instruments.load(paymentMethodToken)).state;
  let agreed: PaymentTerms | Rejection | undefined;
  const wanted = {
    paymentId,
    at: context.at,
    abandonAfter: context.at + needs.timings.abandonAfterMs,
    ...(shown !== undefined && { shown }),
  };
  const claim = () =>
    transact(needs.sessions, sessionId, context, (session): Decision<never> | ReturnType<ReturnType<typeof decideClaim>> => {
      const claimed = decideClaim(wanted)(session);
      if (claimed.kind === 'rejected' || session.status === 'absent') return claimed;
      const chosen = vaultOnSuccess === undefined ? session.fields : vaultingChosen(session.fields, vaultOnSuccess);
      agreed = 'kind' in chosen ? chosen : paymentTerms(fields, chosen);
      if ('kind' in agreed) return agreed;
      if (token.status !== 'absent' && !allowsNetwork(session.fields, token.paymentMethodData)) return badInstrument();
      // The session may have become automatic since its scope was looked at.
      const outOfScope = refuseCaptureMode(agreed.paymentMethod, caller);
      if (outOfScope !== undefined) return outOfScope;
      // A token that cannot pay is refused without a trace in the session.
      const usable = claimInstrument(tokenClaim(needs, agreed, caller, paymentId))(token);
      return usable.kind === 'rejected' ? usable : claimed;
    });
  let claimed = await claim();
  if (
    claimed.kind === 'rejected' &&
    claimed.errorId === 'ClientSessionCompleted' &&
    (await displaceSessionClaim(needs, sessionId, context))
  ) {
    claimed = await claim();
  }
  if (claimed.kind === 'rejected' && claimed.errorId === 'InvalidPaymentInstrumentToken') {
    token = await claimableToken(needs, paymentMethodToken);
    claimed = await claim();
  }
  if (claimed.kind === 'rejected') return claimed;
  return agreed ?? reject('ClientSessionValidationError', 'The session does not exist.');
}
