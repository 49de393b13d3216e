// Claims a session and a token for a payment that is about to be made, and agrees its terms with the session as it was
// claimed.
import { claimSession as decideClaim } from '../../domain/client-session/decide.ts';
import type { ClientSessionEvent } from '../../domain/client-session/events.ts';
import { allowsInstrument } from '../../domain/client-session/queries.ts';
import type { ClientSession } from '../../domain/client-session/state.ts';
import { type Decision, type Rejection, reject } from '../../domain/decider.ts';
import type { PaymentEvent } from '../../domain/payment/events.ts';
import type { Payment } from '../../domain/payment/payment.ts';
import { type PaymentTerms, paymentTerms, vaultingChosen } from '../../domain/payment/terms.ts';
import { claimInstrument, type InstrumentClaim } from '../../domain/payment-instrument/decide.ts';
import type { PaymentInstrument, UsableInstrument } from '../../domain/payment-instrument/state.ts';
import { unfit } from '../../domain/payment-method.ts';
import { type Decide, observed, type Transacted, transact } from '../../journal/transact.ts';
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
  instrument: UsableInstrument,
  caller: Caller,
  effect: Effect,
): Promise<PaymentTerms | Worked<Answer<Payment>>> {
  const { context, resourceId: paymentId } = effect;
  const terms =
    asked.sessionId === undefined
      ? fitting(instrument, paymentTerms(asked.fields))
      : await claimSession(needs, { ...asked, sessionId: asked.sessionId }, caller, effect);
  if ('kind' in terms) {
    // An earlier try under the same key, or another node, has got as far as the session; it had another token.
    const isHeld =
      terms.errorId === 'InvalidPaymentInstrumentToken' && (await isHolder(needs, asked.sessionId, paymentId));
    return isHeld ? withdrawPayment(needs, asked, terms, effect) : { answer: terms, appended: false };
  }
  const refusal = await claimToken(
    needs,
    asked.paymentMethodToken,
    tokenClaim(needs, terms, caller, paymentId),
    context,
  );
  return refusal === undefined ? terms : withdrawPayment(needs, asked, refusal, effect);
}

/** The terms, if the method of payment can pay them. */
function fitting({ paymentMethodType }: UsableInstrument, terms: PaymentTerms | Rejection): PaymentTerms | Rejection {
  if ('kind' in terms) return terms;
  const { captureMode } = terms.paymentMethod;
  const violation = unfit(paymentMethodType, { ...terms, captureMode });
  return violation === undefined
    ? terms
    : reject('RequestValidationError', `${paymentMethodType} cannot pay this.`, { violations: [violation] });
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

type Claiming = Authorization & { readonly sessionId: string };

/** The session's claim as this session is, with the terms of the payment that follow from it, for a token as it is. */
function claimOn(
  session: ClientSession,
  token: PaymentInstrument,
  needs: ConcludeNeeds,
  { fields, vaultOnSuccess, shown }: Claiming,
  caller: Caller,
  { context, resourceId: paymentId }: Effect,
): { readonly claimed: Decision<ClientSessionEvent>; readonly terms?: PaymentTerms } {
  const refused = (claimed: Rejection) => ({ claimed });
  const { at } = context;
  const wanted = {
    paymentId,
    at,
    abandonAfter: at + needs.timings.abandonAfterMs,
    ...(shown !== undefined && { shown }),
  };
  const claimed = decideClaim(wanted)(session);
  if (claimed.kind === 'rejected' || session.status === 'absent') return { claimed };
  const chosen = vaultOnSuccess === undefined ? session.fields : vaultingChosen(session.fields, vaultOnSuccess);
  const agreed = 'kind' in chosen ? chosen : paymentTerms(fields, chosen);
  const terms = token.status === 'absent' ? agreed : fitting(token, agreed);
  if ('kind' in terms) return refused(terms);
  if (token.status !== 'absent' && !allowsInstrument(session.fields, token)) return refused(badInstrument());
  // The session may have become automatic since its scope was looked at.
  const outOfScope = refuseCaptureMode(terms.paymentMethod, caller);
  if (outOfScope !== undefined) return refused(outOfScope);
  // A token that cannot pay is refused without a trace in the session.
  const usable = claimInstrument(tokenClaim(needs, terms, caller, paymentId))(token);
  return usable.kind === 'rejected' ? refused(usable) : { claimed, terms };
}

/** The session's claim and the terms of the payment at the revision of the claim. */
async function claimSession(
  needs: ConcludeNeeds,
  asked: Claiming,
  caller: Caller,
  effect: Effect,
): Promise<PaymentTerms | Rejection> {
  const { sessionId, paymentMethodToken } = asked;
  const { context } = effect;
  let token = (await needs.instruments.load(paymentMethodToken)).state;
  let agreed: PaymentTerms | undefined;
  const claim = () =>
    transact(needs.sessions, sessionId, context, (session) => {
      const { claimed, terms } = claimOn(session, token, needs, asked, caller, effect);
      agreed = terms;
      return claimed;
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

/**
 * The outcome of an append to all three streams: `apart` where nothing was written, and they are to be written one
 * after another.
 */
type Together = (Transacted<Payment, PaymentEvent> & { readonly kind: 'written' }) | { readonly kind: 'apart' };
const apart: Together = { kind: 'apart' };

/**
 * The claims and the payment in one append, as this process knows the session and the token. `apart` where the store
 * appends to one stream at a time, where one of the streams refuses or has nothing to record, and where another process
 * was faster: step by step it shows which.
 */
export async function claimAndCreate(
  needs: ConcludeNeeds,
  asked: Authorization,
  caller: Caller,
  effect: Effect,
  creationFor: (terms: PaymentTerms) => Decide<Payment, PaymentEvent>,
): Promise<Together> {
  const { sessionId, paymentMethodToken } = asked;
  const { sessions, instruments, payments } = needs;
  const { context, resourceId: paymentId } = effect;
  if (sessionId === undefined || !payments.appendsToSeveral) return apart;
  const together = async (): Promise<Together> => {
    const [session, token, before] = [
      await sessions.load(sessionId),
      await instruments.load(paymentMethodToken),
      payments.empty,
    ];
    const { claimed, terms } = claimOn(session.state, token.state, needs, { ...asked, sessionId }, caller, effect);
    if (claimed.kind === 'rejected' || claimed.events.length === 0 || terms === undefined) return apart;
    const used = claimInstrument(tokenClaim(needs, terms, caller, paymentId))(token.state);
    const made = creationFor(terms)(before.state, before.head.revision);
    if (used.kind === 'rejected' || used.events.length === 0 || made.kind === 'rejected') return apart;
    const claim = await sessions.prepare(sessionId, session, claimed.events, context);
    const use = await instruments.prepare(paymentMethodToken, token, used.events, context);
    const creation = await payments.prepare(paymentId, before, made.events, context);
    if ((await payments.appendAll([claim, use, creation])) === 'conflict') return apart;
    const [written] = await Promise.all([creation.written(), claim.written(), use.written()]);
    return { kind: 'written', ...written, before, events: made.events };
  };
  return observed(payments, paymentId, () =>
    sessions.inTurn(sessionId, () => instruments.inTurn(paymentMethodToken, together)),
  );
}
