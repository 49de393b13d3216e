// What is not settled of a payment, in plain words: what it means, what happens next and when, and for owners a way to settle it.
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
          onResolve={isOwner ? () => setMatter({ attemptId: attempt.attemptId, operation: attempt.operation }) : undefined}
        />
      ))}
      {overRefunded !== null && (
        <section className={classes['notice']} aria-label="More is refunded than was captured">
          <h2>
            More is refunded than was captured, by <Money amount={overRefunded} currencyCode={payment.currencyCode} />
          </h2>
          <p>A refund that was thought lost has happened after all. The shop has paid too much back, and somebody has to see to it.</p>
          {isOwner && (
            <Button variant="default" onClick={() => setMatter({ attemptId: 'OVER_REFUNDED' })}>
              Close it
            </Button>
          )}
        </section>
      )}
      {matter !== undefined && <ResolveDialog payment={payment} matter={matter} onDone={onDone} onClose={() => setMatter(undefined)} />}
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
            Last word: <bdi>{evidence.detail}</bdi>
          </li>
        )}
        <li>
          Asked for <When ms={Date.parse(requestedAt)} as="second" />. {state !== 'action_required' && lookUpsWords(lookUps)}
        </li>
        {lookUpAt !== null && state === 'action_required' && (
          <li>
            The customer may act until <When ms={Date.parse(lookUpAt)} as="second" />; then the payment fails by itself.
          </li>
        )}
        {lookUpAt !== null && state !== 'action_required' && (
          <li>
            The processor is asked again <When ms={Date.parse(lookUpAt)} as="second" />; nobody has to do anything.
          </li>
        )}
        <li>
          Its reference at the processor: <CopyText text={reference} label="reference" />
        </li>
      </ul>
      {onResolve !== undefined && state !== 'open' && state !== 'action_required' && (
        <Button variant="default" onClick={onResolve}>
          Settle by hand
        </Button>
      )}
    </section>
  );
}

/** What goes its way: nobody has to be alarmed. */
const CALM: ReadonlySet<OpenAttempt['state']> = new Set(['open', 'pending', 'action_required']);

/** How often it was looked up, in a sentence. */
export const lookUpsWords = (count: number): string =>
  count === 0 ? 'It was not looked up yet.' : count === 1 ? 'It was looked up once.' : `It was looked up ${count} times.`;

function meaningOf(operation: string, state: OpenAttempt['state']): { readonly title: string; readonly words: string } {
  switch (state) {
    case 'open':
      return { title: `The ${operation} is under way`, words: 'The processor was called and has not answered yet.' };
    case 'unknown':
      return {
        title: `It is not known what became of the ${operation}`,
        words:
          'The answer of the processor was lost. The money may have moved, or not: it is never asked for a second time, only looked up.',
      };
    case 'pending':
      return { title: `The ${operation} is pending`, words: 'The processor has accepted it, and tells later how it ended.' };
    case 'action_required':
      return {
        title: 'The customer has to act',
        words: 'The bank wants the customer to confirm the payment (3-D Secure). Nothing is held before that.',
      };
    case 'declined':
    case 'returned':
      return {
        title: `The ${operation} was refused, and is still owed`,
        words: 'It takes something back that has no place in this payment. The processor refused it, so a person has to see to it.',
      };
    default:
      return { title: `The ${operation} is not settled`, words: 'It is tried again by itself.' };
  }
}
