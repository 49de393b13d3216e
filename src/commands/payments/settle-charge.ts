// The end of a try, put on record in its agreement: by the process that concludes the payment, and by a policy where a
// crash left it out.
import {
  adoptMethod,
  type ChargeEnd,
  failAgreement,
  hasAdopted,
  periodOf,
  settleCharge,
} from '../../domain/agreement/decide.ts';
import type { AgreementEvent, ChargedMethod } from '../../domain/agreement/events.ts';
import type { Agreement } from '../../domain/agreement/state.ts';
import type { ClientSessionEvent } from '../../domain/client-session/events.ts';
import type { ClientSession } from '../../domain/client-session/state.ts';
import { abandonPayment } from '../../domain/payment/create.ts';
import type { PaymentEvent } from '../../domain/payment/events.ts';
import { networkNames } from '../../domain/payment/outcome.ts';
import { isFinal, type KnownPayment, type Payment, type RefusedPayment } from '../../domain/payment/payment.ts';
import { isKnown, isOver, placeOf, wantsVaulting } from '../../domain/payment/queries.ts';
import { networkOf } from '../../domain/payment-instrument/recorded-data.ts';
import type { NetworkRefusal } from '../../domain/retry-ledger/network-rules.ts';
import type { Context } from '../../journal/context.ts';
import type { Streams } from '../../journal/streams.ts';
import { transact } from '../../journal/transact.ts';
import { type Due, dueContext } from '../due.ts';
import { aside } from '../effect.ts';
import { proposeAgreed } from '../sessions/agreed.ts';
import { answerNetworkTry, type LedgerNeeds, refusalOf } from './retry-ledger.ts';

interface SettleNeeds extends LedgerNeeds {
  readonly agreements: Streams<Agreement, AgreementEvent>;
  readonly payments: Streams<Payment, PaymentEvent>;
}

type Try = Pick<ChargeEnd, 'periodKey' | 'paymentId'>;

/** How the payment of a try ended; undefined while it has no outcome. */
export function endOf({ periodKey, paymentId }: Try, payment: Payment, at: number): ChargeEnd | undefined {
  const ended = { periodKey, paymentId, at };
  if (payment.status === 'abandoned') return { ...ended, outcome: 'FAILED', isAbandoned: true };
  if (!isKnown(payment)) return undefined;
  switch (payment.status) {
    case 'PENDING':
      return undefined;
    case 'AUTHORIZED':
    case 'SETTLING':
    case 'PARTIALLY_SETTLED':
    case 'SETTLED':
      return { ...ended, outcome: 'SUCCEEDED' };
    case 'CANCELLED':
      return isOver(payment) ? { ...ended, outcome: 'CANCELLED' } : undefined;
    case 'DECLINED':
      return isOver(payment) ? { ...ended, outcome: 'DECLINED', refusal: refusalIn(payment) } : undefined;
    case 'FAILED':
      return isOver(payment) ? { ...ended, outcome: 'FAILED' } : undefined;
    default:
      return payment satisfies never;
  }
}

/** The newest refusal; a success that came back, or a rule of the processor, has none of an issuer. */
function refusalIn({ paymentMethod, attempts, statusReason }: RefusedPayment): NetworkRefusal {
  const network = networkOf(paymentMethod.paymentMethodType, paymentMethod.paymentMethodData);
  const { code = 'GENERIC_DECLINE', declineType = 'SOFT' } = statusReason;
  const told = attempts.flatMap((attempt) => refusalOf(network, attempt) ?? []).at(-1);
  return told?.code === code ? told : { network, code, declineType };
}

/** Throws StoreUnavailable. */
export async function settleTry(needs: SettleNeeds, agreementId: string, of: Try, context: Context): Promise<void> {
  const { state } = await needs.payments.current(of.paymentId);
  await record(needs, agreementId, endOf(of, state, context.at), state, context);
}

/**
 * After each step of a payment that charges a period; nothing where the end is on record. Throws StoreUnavailable.
 */
export async function settleIfCharge(
  needs: Omit<SettleNeeds, 'payments'>,
  paymentId: string,
  payment: Payment,
  context: Context,
): Promise<void> {
  if (!isKnown(payment) || payment.agreement === undefined) return;
  const { agreementId, periodKey } = payment.agreement;
  const end = endOf({ periodKey, paymentId }, payment, context.at);
  if (end === undefined) return;
  const { state } = await needs.agreements.load(agreementId);
  const period = state.status === 'absent' ? undefined : periodOf(state, periodKey);
  if (period?.outcome === undefined) await record(needs, agreementId, end, payment, context);
}

/**
 * After each step of a payment with which a customer begins an agreement, or goes on with one: once its payment method
 * is saved it is what the agreement charges. Nothing where that is on record. Throws StoreUnavailable.
 */
export async function adoptIfForAgreement(
  needs: Omit<SettleNeeds, 'payments'> & { readonly sessions: Streams<ClientSession, ClientSessionEvent> },
  paymentId: string,
  payment: Payment,
  context: Context,
): Promise<void> {
  if (!isKnown(payment) || payment.forAgreement === undefined) return;
  const { forAgreement, status, sessionId } = payment;
  const method = chargedMethod(paymentId, payment);
  if (status === 'PENDING' || isFinal(status) || wantsVaulting(payment)) return;
  const decide = method === undefined ? failAgreement('NOT_SAVED') : adoptMethod(method);
  const { state } = await needs.agreements.load(forAgreement);
  if (state.status !== 'absent' && hasAdopted(state, paymentId)) return;
  if (state.status === 'absent' && sessionId !== undefined) {
    const { state: session } = await needs.sessions.current(sessionId);
    await proposeAgreed(needs.agreements, sessionId, session, aside(context, needs.world));
  }
  await transact(needs.agreements, forAgreement, aside(context, needs.world), decide, { isFact: true });
}

/** What an agreement charges after this payment; undefined where its payment method is not saved, or not yet. */
export function chargedMethod(paymentId: string, payment: KnownPayment): ChargedMethod | undefined {
  const { isVaulted, paymentMethodToken } = payment.paymentMethod;
  const token = isVaulted ? paymentMethodToken : payment.vaulting?.paymentMethodToken;
  return token === undefined
    ? undefined
    : {
        paymentMethodToken: token,
        initialPaymentId: paymentId,
        ...placeOf(payment, payment),
        ...networkNames(payment),
      };
}

/** The card's ledger first: no next try of the period is claimed before it counts this one. */
async function record(
  needs: Omit<SettleNeeds, 'payments'>,
  agreementId: string,
  end: ChargeEnd | undefined,
  payment: Payment,
  context: Context,
): Promise<void> {
  if (end === undefined) return;
  if (isKnown(payment)) await answerNetworkTry(needs, end.paymentId, payment, context);
  await transact(needs.agreements, agreementId, aside(context, needs.world), settleCharge(end), { isFact: true });
}

/**
 * Ends the tries of an agreement whose claims are older than `before`, ms: a payment that was not created by then never
 * will be.
 */
export async function settleOpenCharges(
  needs: SettleNeeds,
  due: Due,
  open: readonly (Try & { readonly claimedAt: number })[],
  before: number,
  policy: string,
): Promise<void> {
  const context = await dueContext(needs.world, needs.agreements, policy, due);
  for (const one of open) {
    if (one.claimedAt >= before) continue;
    await transact(needs.payments, one.paymentId, context, abandonPayment(due.accountId), { isFact: true });
    await settleTry(needs, due.id, one, context);
  }
}
