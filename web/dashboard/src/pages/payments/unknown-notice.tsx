// The unresolved attempts of a payment: what each means, what happens next and when, and how an owner can resolve it.
import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useMay } from '../../app/session.tsx';
import { CopyText } from '../../parts/copy.tsx';
import { Money } from '../../parts/money.tsx';
import { When } from '../../parts/when.tsx';
import { meaningOf } from './attempt-words.ts';
import { asOnPage } from './on-page.ts';
import type { OpenAttempt, Payment, PaymentDetail } from './payment-queries.ts';
import { type Matter, ResolveDialog } from './resolve-dialog.tsx';
import classes from './unknown-notice.module.css';

interface UnknownNoticeProps {
  readonly detail: PaymentDetail;
  readonly onDone: (sentence: string) => void;
}

export function UnknownNotice({ detail, onDone }: UnknownNoticeProps): ReactNode {
  const [matter, setMatter] = useState<Matter>();
  const isOwner = useMay('owner');
  const { payment, openAttempts, overRefunded, differs } = detail;
  return (
    <>
      {openAttempts.map((attempt) => (
        <Notice
          key={attempt.attemptId}
          attempt={attempt}
          payment={payment}
          onResolve={
            isOwner ? () => setMatter({ attemptId: attempt.attemptId, operation: attempt.operation }) : undefined
          }
        />
      ))}
      {overRefunded !== null && (
        <section className={classes['notice']} aria-label="Over-refund">
          <h2>
            Refunded more than captured, by <Money amount={overRefunded} currencyCode={payment.currencyCode} />
          </h2>
          <p>
            A refund that counted as failed succeeded after all. You refunded too much, and an owner has to close this.
          </p>
          {isOwner && (
            <Button variant="default" onClick={() => setMatter({ attemptId: 'OVER_REFUNDED' })}>
              Close over-refund
            </Button>
          )}
        </section>
      )}
      {differs !== null && (
        <section className={classes['notice']} aria-label="Different at the processor">
          <h2>The processor shows other amounts</h2>
          <p>
            It shows <Money amount={differs.captured} currencyCode={differs.currencyCode} /> captured,{' '}
            <Money amount={differs.capturable} currencyCode={differs.currencyCode} /> held, and{' '}
            <Money amount={differs.refunded} currencyCode={differs.currencyCode} /> refunded. Nobody here asked for
            that. Check the payment at the processor. Then an owner closes this.
          </p>
          {isOwner && (
            <Button variant="default" onClick={() => setMatter({ attemptId: 'DIFFERS' })}>
              Close difference
            </Button>
          )}
        </section>
      )}
      {matter !== undefined && (
        <ResolveDialog payment={payment} matter={matter} onDone={onDone} onClose={() => setMatter(undefined)} />
      )}
    </>
  );
}

interface NoticeProps {
  readonly attempt: OpenAttempt;
  readonly payment: Payment;
  readonly onResolve: (() => void) | undefined;
}

function Notice({ attempt, payment, onResolve }: NoticeProps): ReactNode {
  const { currencyCode, requiredAction } = payment;
  const { state, amount, reference, requestedAt, lookUpAt, lookUps, evidence, actionEndsAt, mismatch } = attempt;
  const { title, words } = meaningOf(attempt, requiredAction?.name);
  return (
    <section className={classes['notice']} data-calm={CALM.has(state) ? true : undefined} aria-label={title}>
      <h2>
        {title}
        {amount > 0 && (
          <>
            {' '}
            (<Money amount={amount} currencyCode={currencyCode} />)
          </>
        )}
      </h2>
      <p>{words}</p>
      {mismatch !== undefined && (
        <p>
          It took <Money amount={mismatch.amount} currencyCode={mismatch.currencyCode} /> in place of{' '}
          <Money amount={amount} currencyCode={currencyCode} />. Correct it at the processor, then close it here.
        </p>
      )}
      <ul>
        {evidence?.detail !== undefined && (
          <li>
            Latest report: <bdi>{evidence.source === 'operator' ? evidence.detail : asOnPage(evidence.detail)}</bdi>
          </li>
        )}
        <li>
          Requested <When ms={Date.parse(requestedAt)} as="second" />.{' '}
          {state !== 'action_required' && mismatch === undefined && lookUpsWords(lookUps)}
        </li>
        {actionEndsAt !== undefined && (
          <li>
            The customer can act until <When ms={Date.parse(actionEndsAt)} as="second" />; after that the payment fails
            automatically.
          </li>
        )}
        {lookUpAt !== null && state !== 'action_required' && (
          <li>
            Counterfoil asks the processor again <When ms={Date.parse(lookUpAt)} as="second" />. You need not do
            anything.
          </li>
        )}
        <li>
          Reference at the processor: <CopyText text={reference} label="reference" />
        </li>
      </ul>
      {onResolve !== undefined && state !== 'open' && state !== 'action_required' && (
        <Button variant="default" onClick={onResolve}>
          {mismatch === undefined ? 'Resolve manually' : 'Close'}
        </Button>
      )}
    </section>
  );
}

/** States that need no attention. */
const CALM: ReadonlySet<OpenAttempt['state']> = new Set(['open', 'pending', 'action_required']);

/** A sentence on how often the attempt was looked up. */
export const lookUpsWords = (count: number): string =>
  count === 0 ? 'Not checked yet.' : count === 1 ? 'Checked once.' : `Checked ${count} times.`;
