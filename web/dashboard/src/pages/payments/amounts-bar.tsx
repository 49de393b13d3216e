// The amounts of a payment, as a bar and in figures: authorized, captured, refunded, and the amounts that remain.
import type { ReactNode } from 'react';
import { Money, moneyText } from '../../parts/money.tsx';
import { Section } from '../../parts/section.tsx';
import classes from './amounts-bar.module.css';
import type { PaymentDetail } from './payment-queries.ts';

interface Share {
  readonly name: string;
  readonly tone: 'kept' | 'refunded' | 'pending' | 'held' | 'none';
  readonly amount: number;
}

/** The shares of the whole, each part of the money once. A late success may refund more than was captured. */
function sharesOf({ payment, amountCapturePending, amountRefundPending }: PaymentDetail): readonly Share[] {
  const { amountCaptured, amountRefunded, amountCapturable } = payment.processor;
  const pending = amountCapturePending + amountRefundPending;
  const kept = Math.max(0, amountCaptured - amountRefunded - amountRefundPending);
  return [
    { name: 'Captured and kept', tone: 'kept', amount: kept },
    { name: 'Refunded', tone: 'refunded', amount: amountRefunded },
    { name: 'Still open', tone: 'pending', amount: pending },
    { name: 'Authorized, not captured', tone: 'held', amount: amountCapturable },
  ];
}

export function AmountsBar({ detail }: { readonly detail: PaymentDetail }): ReactNode {
  const { payment, amountCapturePending, amountRefundPending } = detail;
  const { currencyCode, processor } = payment;
  const shares = sharesOf(detail).filter(({ amount }) => amount > 0);
  const all = shares.reduce((sum, { amount }) => sum + amount, 0);
  const whole = Math.max(payment.amount, processor.amountAuthorized, all);
  const told = shares.map(({ name, amount }) => `${name}: ${moneyText({ amount, currencyCode })}`).join(', ');
  const figures = [
    { name: 'Authorized', amount: processor.amountAuthorized },
    { name: 'Captured', amount: processor.amountCaptured, pending: amountCapturePending },
    { name: 'Refunded', amount: processor.amountRefunded, pending: amountRefundPending },
    { name: 'Can be captured', amount: processor.amountCapturable },
    { name: 'Can be refunded', amount: processor.amountRefundable },
  ];
  return (
    <Section title="Amounts">
      <div className={classes['bar']} role="img" aria-label={told === '' ? 'No money moved' : told}>
        {shares.map(({ name, tone, amount }) => (
          <span
            key={name}
            className={classes['share']}
            data-tone={tone}
            style={{ flexGrow: amount / whole }}
            title={`${name}: ${moneyText({ amount, currencyCode })}`}
          />
        ))}
        {whole > all && (
          <span className={classes['share']} data-tone="none" style={{ flexGrow: (whole - all) / whole }} />
        )}
      </div>
      <dl className={classes['figures']}>
        {figures.map(({ name, amount, pending = 0 }) => (
          <div key={name} data-none={amount === 0 && pending === 0 ? true : undefined}>
            <dt>{name}</dt>
            <dd>
              <Money amount={amount} currencyCode={currencyCode} />
              {pending > 0 && (
                <span className={classes['pending']}>
                  + <Money amount={pending} currencyCode={currencyCode} /> still open
                </span>
              )}
            </dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}
