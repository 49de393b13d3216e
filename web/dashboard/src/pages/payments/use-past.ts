// The moment of a payment that its page shows: now, or after one of its events. The address has it, so that a link leads to it.
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { pastSearch, thenQuery } from './past-queries.ts';
import type { PaymentDetail } from './payment-queries.ts';

/** A payment is recorded together with the request of its authorization: there is no moment before. */
export const FIRST_MOMENT = 1;

export interface Past {
  /** Of the event after which the payment is shown; undefined: as it is now. */
  readonly revision: number | undefined;
  /** The payment of the moment. */
  readonly detail: PaymentDetail;
  readonly fault: Error | null;
  /** Undefined, and the newest event: back to now. */
  readonly go: (revision: number | undefined) => void;
}

export function usePast(now: PaymentDetail): Past {
  const { id, version } = now.payment;
  const { after } = pastSearch(useSearch({ strict: false }));
  const navigate = useNavigate();
  const revision = after !== undefined && after < version ? Math.max(FIRST_MOMENT, after) : undefined;
  const then = useQuery({ ...thenQuery(id, revision ?? 0), enabled: revision !== undefined });
  const go = (next: number | undefined): void =>
    void navigate({
      to: '/payments/$paymentId',
      params: { paymentId: id },
      search: next === undefined || next >= version ? {} : { after: Math.max(FIRST_MOMENT, next) },
      replace: true,
      resetScroll: false,
    });
  const detail = revision === undefined ? now : (then.data?.detail ?? now);
  return { revision, detail, fault: revision === undefined ? null : then.error, go };
}
