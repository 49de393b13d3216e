// Why a payment stands as it does, where there is a reason: what the issuer or the processor said, and what to do about it.
import type { ReactNode } from 'react';
import type { Payment } from './payment-queries.ts';
import classes from './reason-notice.module.css';

interface ReasonNoticeProps {
  readonly payment: Payment;
  /** Something is not settled: then its own notice says why. */
  readonly isOpen: boolean;
}

export function ReasonNotice({ payment: { statusReason }, isOpen }: ReasonNoticeProps): ReactNode {
  if (statusReason === undefined || isOpen) return null;
  const { message, advisedAction, code, declineType } = statusReason;
  return (
    <section className={classes['notice']} aria-label="Reason">
      <p>
        <strong>{message ?? 'It was refused.'}</strong> {advisedAction}
      </p>
      {code !== undefined && (
        <p className={classes['code']}>
          {code}
          {declineType !== undefined && ` · ${declineType === 'SOFT' ? 'the same may succeed later' : 'the same will not succeed'}`}
        </p>
      )}
    </section>
  );
}
