// Planned tries of declined periods that are due: each is a charge like the merchant's own, of the same period with the
// same terms.
import { refuseRetry } from '../../domain/agreement/decide.ts';
import type { RetryRefusal } from '../../domain/agreement/events.ts';
import { type Period, plannedRetries } from '../../domain/agreement/state.ts';
import { type Rejection, reject } from '../../domain/decider.ts';
import type { KnownPayment } from '../../domain/payment/payment.ts';
import { isKnown } from '../../domain/payment/queries.ts';
import type { Context } from '../../journal/context.ts';
import { transact } from '../../journal/transact.ts';
import type { Caller } from '../caller.ts';
import { type Due, dueContext } from '../due.ts';
import { ChargeAgreement, chargeAgreement, paymentIds } from './charge-agreement.ts';
import type { PaymentNeeds } from './needs.ts';

/**
 * Makes the tries that are due; `policy`: its name. A refusal that time does not mend is put on record, with when the
 * try is due again; others leave it due. Throws StoreUnavailable.
 */
export async function retryCharges(needs: PaymentNeeds, due: Due, policy: string): Promise<void> {
  const context = await dueContext(needs.world, needs.agreements, policy, due);
  // the document in which the work was seen may be older than what another node, or the merchant, has done
  const { state: agreement } = await needs.agreements.current(due.id);
  if (agreement.status === 'absent') return;
  for (const period of plannedRetries(agreement)) {
    if ((period.retryAt ?? 0) > context.at) continue;
    const payment = await newestPayment(needs, due.id, period);
    const request = payment && requestOf(period, payment);
    const answer =
      request === undefined ? INVALID : await chargeAgreement(needs, due.id, request, callerFor(context), true);
    const because = answer.kind === 'rejected' ? lasting(answer) : undefined;
    if (answer.kind !== 'rejected' || because === undefined) continue;
    const { periodKey } = period;
    const refused = { periodKey, try: period.try + 1, because, notBefore: answer.notBefore };
    await transact(needs.agreements, due.id, context, refuseRetry(refused));
  }
}

/** The payment of the newest try that has one: a crash may have kept later ones from being created. */
async function newestPayment(
  { payments, storeKey }: PaymentNeeds,
  agreementId: string,
  { periodKey, try: newest }: Period,
): Promise<KnownPayment | undefined> {
  const idOf = paymentIds(storeKey, agreementId, periodKey);
  for (let number = newest; number > 0; number -= 1) {
    const { state } = await payments.current(idOf(number));
    if (isKnown(state)) return state;
  }
  return undefined;
}

/** As the last try was asked for; undefined if requests of this version may not say that. */
function requestOf(period: Period, { paymentMethod, order, metadata }: KnownPayment): ChargeAgreement | undefined {
  const { periodKey, orderId, amount, currencyCode } = period;
  const { captureMode, descriptor } = paymentMethod;
  const asked = { periodKey, orderId, amount, currencyCode, captureMode, descriptor, order, metadata };
  return ChargeAgreement.safeParse(asked).data;
}

const INVALID = reject('RequestValidationError', 'The order of the last try is not one of this version.');

/** The scopes were those of who asked for the first try. */
const SCOPES = new Set(['transactions:authorize', 'transactions:capture']);

const callerFor = ({ accountId, actor, at, correlationId }: Context): Caller => ({
  accountId,
  actor,
  at,
  requestId: correlationId,
  scopes: SCOPES,
  address: '',
});

/** Why the try is not made now; undefined where it stays due. */
function lasting({ errorId, because }: Rejection): RetryRefusal | undefined {
  switch (errorId) {
    case 'ServiceUnavailable':
    case 'TooManyRequests':
    case 'Conflict':
    case 'InvalidAgreementStatus':
    case 'NotFound':
      return undefined;
    case 'RetryNotAllowed':
      return because === 'NETWORK_LIMIT' || because === 'NETWORK_FORBIDS' ? because : undefined;
    case 'OutsideAgreementTerms':
      return 'OUTSIDE_TERMS';
    default:
      return 'NOT_POSSIBLE';
  }
}
