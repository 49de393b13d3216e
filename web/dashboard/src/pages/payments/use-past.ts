// The moment that a payment's page shows: now, or after one of its events. The URL contains it, so that a link leads to
// it.
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { pastSearch, thenQuery } from './past-queries.ts';
import type { PaymentDetail } from './payment-queries.ts';

/** A payment is recorded together with the request of its authorization, so there is no earlier moment. */
export const FIRST_MOMENT = 1;

export interface Past {
  /** The revision after which the payment is shown, or undefined for the payment as it is now. */
  readonly revision: number | undefined;
  /** The payment at that moment. */
  readonly detail: PaymentDetail;
  readonly fault: Error | null;
  /** Goes to a revision. Undefined and the newest revision go back to now. */
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
