// A payment as it was recorded at a moment of the past, folded from its stream (contract §4, "?at=").
import { type Rejection, reject } from '../domain/decider.ts';
import type { PaymentEvent } from '../domain/payment/events.ts';
import type { KnownPayment, Payment } from '../domain/payment/payment.ts';
import { isKnown } from '../domain/payment/queries.ts';
import type { Streams } from '../journal/streams.ts';

/**
 * A moment of a payment: by the time at which events were recorded (ms, inclusive), or by the revision of its last
 * event.
 */
type PaymentMoment = { readonly at: number } | { readonly revision: number };

interface PaymentThen {
  readonly revision: number;
  readonly doc: KnownPayment;
  /** When the last event of the moment was recorded, ms. */
  readonly recordedAt: number;
}

/**
 * Folds the longest beginning of the stream whose events were recorded by then: `recordedAt` never decreases in a
 * stream. NotFound for a payment of another account, and before it was created. Reads the stream up to the moment, and
 * no read model: a read model may lag, and the result for a moment would change when it catches up. Throws
 * StoreUnavailable and BrokenStream.
 */
export const readPaymentAt =
  (streams: Streams<Payment, PaymentEvent>) =>
  async (paymentId: string, accountId: string, moment: PaymentMoment): Promise<PaymentThen | Rejection> => {
    const { decider } = streams;
    let then: { readonly state: Payment; readonly revision: number; readonly recordedAt: number } | undefined;
    for await (const { event, recorded } of streams.history(paymentId, BEFORE_THE_FIRST)) {
      if ('at' in moment ? recorded.at > moment.at : recorded.revision > moment.revision) break;
      const state = decider.evolve(then?.state ?? decider.initial, event, recorded);
      if (isKnown(state) && state.accountId !== accountId) return notThere();
      then = { state, revision: recorded.revision, recordedAt: recorded.at };
    }
    if (then === undefined || !isKnown(then.state)) return notThere();
    return { revision: then.revision, doc: then.state, recordedAt: then.recordedAt };
  };

/** One sentence for all, so that it does not reveal that another account has the payment. */
const notThere = (): Rejection => reject('NotFound', 'There was no such payment then.');

const BEFORE_THE_FIRST = -1;
