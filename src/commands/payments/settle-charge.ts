// The end of a try, put on record in its agreement: by the process that concludes the payment, and by a policy where a
// crash left it out.
import { type ChargeEnd, periodOf, settleCharge } from '../../domain/agreement/decide.ts';
import type { AgreementEvent } from '../../domain/agreement/events.ts';
import type { Agreement } from '../../domain/agreement/state.ts';
import { abandonPayment } from '../../domain/payment/create.ts';
import type { PaymentEvent } from '../../domain/payment/events.ts';
import type { Payment } from '../../domain/payment/payment.ts';
import { isKnown, isOver } from '../../domain/payment/queries.ts';
import type { Context } from '../../journal/context.ts';
import type { Streams } from '../../journal/streams.ts';
import { transact } from '../../journal/transact.ts';
import type { World } from '../../world.ts';
import { type Due, dueContext } from '../due.ts';
import { aside } from '../effect.ts';

interface SettleNeeds {
  readonly agreements: Streams<Agreement, AgreementEvent>;
  readonly payments: Streams<Payment, PaymentEvent>;
  readonly world: World;
}

type Try = Pick<ChargeEnd, 'periodKey' | 'paymentId'>;

/** How the payment of a try ended; undefined while it has no outcome. */
export function endOf({ periodKey, paymentId }: Try, payment: Payment, at: number): ChargeEnd | undefined {
  const ended = { periodKey, paymentId, at };
  if (payment.status === 'abandoned') return { ...ended, outcome: 'FAILED' };
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
    case 'FAILED': {
      const { code, declineType } = payment.statusReason;
      return isOver(payment) ? { ...ended, outcome: payment.status, code, declineType } : undefined;
    }
    default:
      return payment satisfies never;
  }
}

/** Throws StoreUnavailable. */
export async function settleTry(
  { agreements, payments, world }: SettleNeeds,
  agreementId: string,
  of: Try,
  context: Context,
): Promise<void> {
  const { state } = await payments.current(of.paymentId);
  await record({ agreements, world }, agreementId, endOf(of, state, context.at), context);
}

/**
 * After each step of a payment that charges a period; nothing where the end is on record. Throws StoreUnavailable.
 */
export async function settleIfCharge(
  needs: Pick<SettleNeeds, 'agreements' | 'world'>,
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
  if (period?.outcome === undefined) await record(needs, agreementId, end, context);
}

async function record(
  { agreements, world }: Pick<SettleNeeds, 'agreements' | 'world'>,
  agreementId: string,
  end: ChargeEnd | undefined,
  context: Context,
): Promise<void> {
  if (end !== undefined)
    await transact(agreements, agreementId, aside(context, world), settleCharge(end), { isFact: true });
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
