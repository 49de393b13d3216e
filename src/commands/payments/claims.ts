// Claims a session and a token for a payment that is about to be made, and agrees its terms with the session as it was
// claimed.
import { claimSession as decideClaim, releaseSession } from '../../domain/client-session/decide.ts';
import type { ClientSessionEvent } from '../../domain/client-session/events.ts';
import { allowsInstrument } from '../../domain/client-session/queries.ts';
import type { ClientSession } from '../../domain/client-session/state.ts';
import { type Decision, type Rejection, reject } from '../../domain/decider.ts';
import { abandonPayment } from '../../domain/payment/create.ts';
import type { PaymentEvent } from '../../domain/payment/events.ts';
import type { Payment } from '../../domain/payment/payment.ts';
import { givesTokenBack, isKnown, isOver } from '../../domain/payment/queries.ts';
import { type PaymentTerms, paymentTerms, vaultingChosen } from '../../domain/payment/terms.ts';
import { claimInstrument, type InstrumentClaim, releaseInstrument } from '../../domain/payment-instrument/decide.ts';
import type { PaymentInstrument, UsableInstrument } from '../../domain/payment-instrument/state.ts';
import { unfit } from '../../domain/payment-method.ts';
import type { Context } from '../../journal/context.ts';
import { contextAfter, type Decide, observed, transact } from '../../journal/transact.ts';
import { refuseCaptureMode } from '../capture-scope.ts';
import { aside, lastEventOf } from '../effect.ts';
import { badInstrument, type Paying } from './admit-authorization.ts';
import type { WrittenPayment } from './attempt.ts';
import { type Finished, refused, replayAttempt } from './attempt-answers.ts';
import type { PaymentNeeds } from './needs.ts';

/** The session first, then the token (architecture, "One payment, three streams"). A refusal leaves neither claimed. */
export async function claimForPayment(needs: PaymentNeeds, paying: Paying): Promise<PaymentTerms | Finished> {
  const { asked, effect } = paying;
  const { sessionId, paymentMethodToken, fields } = asked;
  const terms =
    sessionId === undefined
      ? fitting(paying.instrument, paymentTerms(fields))
      : await claimSession(needs, paying, sessionId);
  if ('kind' in terms) {
    // An earlier try under the same key, or another node, has got as far as the session; it had another token.
    const isHeld =
      terms.errorId === 'InvalidPaymentInstrumentToken' && (await isHolder(needs, sessionId, effect.resourceId));
    return isHeld ? withdrawPayment(needs, paying, terms) : refused(terms);
  }
  const refusal = await claimToken(needs, paymentMethodToken, tokenClaim(needs, paying, terms), effect.context);
  return refusal === undefined ? terms : withdrawPayment(needs, paying, refusal);
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

async function isHolder(needs: PaymentNeeds, sessionId: string | undefined, paymentId: string): Promise<boolean> {
  if (sessionId === undefined) return false;
  const { state } = await needs.sessions.current(sessionId);
  return state.status === 'open' && state.payment?.paymentId === paymentId;
}

const tokenClaim = (
  { timings }: PaymentNeeds,
  { effect, caller: { accountId, at, sessionId } }: Paying,
  { customerId }: PaymentTerms,
): InstrumentClaim => ({
  paymentId: effect.resourceId,
  accountId,
  at,
  abandonAfter: at + timings.abandonAfterMs,
  ...(sessionId !== undefined && { sessionId }),
  ...(customerId !== undefined && { customerId }),
});

/** The session's claim as this session is, with the terms of the payment that follow from it, for a token as it is. */
function claimOn(
  session: ClientSession,
  token: PaymentInstrument,
  needs: PaymentNeeds,
  paying: Paying,
): { readonly claimed: Decision<ClientSessionEvent>; readonly terms?: PaymentTerms } {
  const { asked, caller, effect } = paying;
  const { fields, vaultOnSuccess, shown } = asked;
  const { at } = effect.context;
  const abandonAfter = at + needs.timings.abandonAfterMs;
  const wanted = { paymentId: effect.resourceId, at, abandonAfter, ...(shown !== undefined && { shown }) };
  const claimed = decideClaim(wanted)(session);
  if (claimed.kind === 'rejected' || session.status === 'absent') return { claimed };
  const chosen = vaultOnSuccess === undefined ? session.fields : vaultingChosen(session.fields, vaultOnSuccess);
  const agreed = 'kind' in chosen ? chosen : paymentTerms(fields, chosen);
  const terms = token.status === 'absent' ? agreed : fitting(token, agreed);
  if ('kind' in terms) return { claimed: terms };
  if (token.status !== 'absent' && !allowsInstrument(session.fields, token)) return { claimed: badInstrument() };
  // The session may have become automatic since its scope was looked at.
  const outOfScope = refuseCaptureMode(terms.paymentMethod, caller);
  if (outOfScope !== undefined) return { claimed: outOfScope };
  // A token that cannot pay is refused without a trace in the session.
  const usable = claimInstrument(tokenClaim(needs, paying, terms))(token);
  return usable.kind === 'rejected' ? { claimed: usable } : { claimed, terms };
}

/** The session's claim and the terms of the payment at the revision of the claim. */
async function claimSession(needs: PaymentNeeds, paying: Paying, sessionId: string): Promise<PaymentTerms | Rejection> {
  const { paymentMethodToken } = paying.asked;
  const { context } = paying.effect;
  let token = (await needs.instruments.load(paymentMethodToken)).state;
  let agreed: PaymentTerms | undefined;
  const claim = () =>
    transact(needs.sessions, sessionId, context, (session) => {
      const { claimed, terms } = claimOn(session, token, needs, paying);
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
type Together = WrittenPayment | { readonly kind: 'apart' };
const apart: Together = { kind: 'apart' };

/**
 * The claims and the payment in one append, as this process knows the session and the token. `apart` where the store
 * appends to one stream at a time, where one of the streams refuses or has nothing to record, and where another process
 * was faster: step by step it shows which.
 */
export async function claimAndCreate(
  needs: PaymentNeeds,
  paying: Paying,
  creationFor: (terms: PaymentTerms) => Decide<Payment, PaymentEvent>,
): Promise<Together> {
  const { sessionId, paymentMethodToken } = paying.asked;
  const { sessions, instruments, payments } = needs;
  const { context, resourceId: paymentId } = paying.effect;
  if (sessionId === undefined || !payments.appendsToSeveral) return apart;
  const together = async (): Promise<Together> => {
    const [session, token, before] = [
      await sessions.load(sessionId),
      await instruments.load(paymentMethodToken),
      payments.empty,
    ];
    const { claimed, terms } = claimOn(session.state, token.state, needs, paying);
    if (claimed.kind === 'rejected' || claimed.events.length === 0 || terms === undefined) return apart;
    const used = claimInstrument(tokenClaim(needs, paying, terms))(token.state);
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

/**
 * Whether the payment that holds a claim is over for good, so that the claim may be taken from it. A payment that was
 * claimed for but never made is fenced off first, by an event in its own stream, when the claim is old enough. Answers
 * the context to take the claim in; undefined while it holds.
 */
async function contextIfOver(
  needs: PaymentNeeds,
  paymentId: string,
  abandonAfter: number,
  over: (payment: Parameters<typeof isOver>[0]) => boolean,
  context: Context,
): Promise<Context | undefined> {
  const { state } = await needs.payments.current(paymentId);
  if (state.status !== 'absent') return over(state) ? context : undefined;
  if (context.at < abandonAfter) return undefined;
  const fenced = await transact(needs.payments, paymentId, context, abandonPayment(context.accountId));
  return fenced.kind !== 'rejected' && over(fenced.folded.state) ? contextAfter(context, fenced) : undefined;
}

/**
 * Takes the session back from a payment that is over. True if the session is (or now became) free of that payment.
 */
export async function displaceSessionClaim(needs: PaymentNeeds, sessionId: string, asked: Context): Promise<boolean> {
  const context = aside(asked, needs.world);
  const { state } = await needs.sessions.current(sessionId);
  if (state.status === 'absent' || state.payment === undefined) return state.status !== 'absent';
  const { paymentId, abandonAfter } = state.payment;
  const over = await contextIfOver(needs, paymentId, abandonAfter, isOver, context);
  if (over === undefined) return false;
  const ended = await transact(needs.sessions, sessionId, over, releaseSession(paymentId));
  return ended.kind !== 'rejected';
}

/**
 * Takes a single-use token back from a payment that no processor saw. True if the token is (or now became) free of
 * that payment.
 */
export async function displaceTokenClaim(needs: PaymentNeeds, token: string, asked: Context): Promise<boolean> {
  const context = aside(asked, needs.world);
  const { state } = await needs.instruments.current(token);
  if (state.status === 'absent' || state.claim === undefined) return state.status !== 'absent';
  const { paymentId, abandonAfter } = state.claim;
  const over = await contextIfOver(needs, paymentId, abandonAfter, givesTokenBack, context);
  if (over === undefined) return false;
  const released = await transact(needs.instruments, token, over, releaseInstrument(paymentId));
  return released.kind !== 'rejected';
}

/** Claims the instrument for a payment; a claim whose payment gave the token back is displaced first. */
export async function claimToken(
  needs: PaymentNeeds,
  token: string,
  claim: Parameters<typeof claimInstrument>[0],
  context: Context,
): Promise<Rejection | undefined> {
  const claimed = await transact(needs.instruments, token, context, claimInstrument(claim));
  if (claimed.kind !== 'rejected') return undefined;
  const { state } = await needs.instruments.load(token);
  if (state.status === 'absent' || state.claim === undefined || state.claim.paymentId === claim.paymentId)
    return claimed;
  if (!(await displaceTokenClaim(needs, token, context))) return claimed;
  const again = await transact(needs.instruments, token, context, claimInstrument(claim));
  return again.kind === 'rejected' ? again : undefined;
}

/** The newest state of a token as `claimToken` will find it: a claim that it may displace counts as none. */
export async function claimableToken(needs: PaymentNeeds, token: string): Promise<PaymentInstrument> {
  const { state } = await needs.instruments.current(token);
  if (state.status === 'absent' || state.claim === undefined) return state;
  const holder = (await needs.payments.current(state.claim.paymentId)).state;
  if (holder.status !== 'absent' && !givesTokenBack(holder)) return state;
  const { claim: _displaceable, ...free } = state;
  return free;
}

/**
 * Answers `refusal`, with the session and the token free again. Under an idempotency key another node may be making the
 * very payment at this moment: it is fenced off first, or, when it exists already, answered. A session whose claim were
 * given without that could be paid twice.
 */
export async function withdrawPayment(
  needs: PaymentNeeds,
  { asked: { sessionId, paymentMethodToken }, effect }: Paying,
  refusal: Rejection,
): Promise<Finished> {
  const { context, resourceId: paymentId, how } = effect;
  const isNew = how.start === 'empty';
  if (!isNew) {
    const fenced = await transact(
      needs.payments,
      paymentId,
      aside(context, needs.world),
      abandonPayment(context.accountId),
      { isFact: true },
    );
    if (fenced.kind === 'rejected') return refused(fenced);
    const { state, head } = fenced.folded;
    if (isKnown(state)) {
      const revision = (await lastEventOf(needs.payments, paymentId, -1, context.operationId)) ?? head.revision;
      return { answer: await replayAttempt(needs, effect, revision), result: 'appended' };
    }
  }
  if (sessionId !== undefined) await transact(needs.sessions, sessionId, context, releaseSession(paymentId));
  await transact(needs.instruments, paymentMethodToken, context, releaseInstrument(paymentId));
  return { answer: refusal, result: isNew ? 'nothing' : 'abandoned' };
}
