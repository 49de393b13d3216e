// The unresolved attempts of a payment: what each means, what happens next and when, and how an owner can resolve it.
import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useMay } from '../../app/session.tsx';
import { CopyText } from '../../parts/copy.tsx';
import { Money } from '../../parts/money.tsx';
import { When } from '../../parts/when.tsx';
import type { OpenAttempt, PaymentDetail } from './payment-queries.ts';
import { type Matter, ResolveDialog } from './resolve-dialog.tsx';
import classes from './unknown-notice.module.css';

interface UnknownNoticeProps {
  readonly detail: PaymentDetail;
  readonly onDone: (sentence: string) => void;
}

export function UnknownNotice({ detail, onDone }: UnknownNoticeProps): ReactNode {
  const [matter, setMatter] = useState<Matter>();
  const isOwner = useMay('owner');
  const { payment, openAttempts, overRefunded } = detail;
  return (
    <>
      {openAttempts.map((attempt) => (
        <Notice
          key={attempt.attemptId}
          attempt={attempt}
          currencyCode={payment.currencyCode}
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
      {matter !== undefined && (
        <ResolveDialog payment={payment} matter={matter} onDone={onDone} onClose={() => setMatter(undefined)} />
      )}
    </>
  );
}

interface NoticeProps {
  readonly attempt: OpenAttempt;
  readonly currencyCode: string;
  readonly onResolve: (() => void) | undefined;
}

function Notice({ attempt, currencyCode, onResolve }: NoticeProps): ReactNode {
  const { operation, state, amount, reference, requestedAt, lookUpAt, lookUps, evidence } = attempt;
  const { title, words } = meaningOf(operation, state);
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
      <ul>
        {evidence?.detail !== undefined && (
          <li>
            Latest report: <bdi>{evidence.detail}</bdi>
          </li>
        )}
        <li>
          Requested <When ms={Date.parse(requestedAt)} as="second" />.{' '}
          {state !== 'action_required' && lookUpsWords(lookUps)}
        </li>
        {lookUpAt !== null && state === 'action_required' && (
          <li>
            The customer can act until <When ms={Date.parse(lookUpAt)} as="second" />; after that the payment fails
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
          Resolve manually
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

function meaningOf(operation: string, state: OpenAttempt['state']): { readonly title: string; readonly words: string } {
  switch (state) {
    case 'open':
      return { title: `The ${operation} is in progress`, words: 'The processor has not responded yet.' };
    case 'unknown':
      return {
        title: `Outcome of the ${operation} unknown`,
        words:
          'The processor’s response was lost. The money may or may not have moved. The request is never sent again; we only check its status.',
      };
    case 'pending':
      return {
        title: `The ${operation} is pending`,
        words: 'The processor accepted it and will report the result later.',
      };
    case 'action_required':
      return {
        title: 'Waiting for the customer',
        words: 'The customer has to confirm the payment with the bank (3-D Secure). No amount is held until then.',
      };
    case 'declined':
    case 'returned':
      return {
        title: `The ${operation} was refused and is still owed`,
        words: 'This reversal undoes an unexpected success. The processor refused it, so it needs manual action.',
      };
    default:
      return { title: `The ${operation} is unresolved`, words: 'Counterfoil retries it automatically.' };
  }
}
