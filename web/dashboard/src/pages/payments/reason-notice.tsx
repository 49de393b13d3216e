// The reason for a payment's status: what the issuer or the processor reported, and what to do about it.
import type { ReactNode } from 'react';
import type { Payment } from './payment-queries.ts';
import classes from './reason-notice.module.css';

interface ReasonNoticeProps {
  readonly payment: Payment;
  /** True if an outcome is unresolved. Its own notice then says why. */
  readonly isOpen: boolean;
}

export function ReasonNotice({ payment: { statusReason }, isOpen }: ReasonNoticeProps): ReactNode {
  if (statusReason === undefined || isOpen) return null;
  const { message, advisedAction, code, declineType } = statusReason;
  return (
    <section className={classes['notice']} aria-label="Reason">
      <p>
        <strong>{message ?? 'The payment was refused.'}</strong> {advisedAction}
      </p>
      {code !== undefined && (
        <p className={classes['code']}>
          {code}
          {declineType !== undefined &&
            ` · ${declineType === 'SOFT' ? 'a retry may succeed later' : 'a retry will not succeed'}`}
        </p>
      )}
    </section>
  );
}
