// A response to a dispute whose outcome is not known: what that means, what happens next, and how an owner can resolve
// it.
import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useMay } from '../../app/session.tsx';
import { CopyText } from '../../parts/copy.tsx';
import type { Done } from '../../parts/done-line.tsx';
import { When } from '../../parts/when.tsx';
import type { OpenDisputeAnswer, Payment } from './payment-queries.ts';
import { ResolveDialog } from './resolve-dialog.tsx';
import classes from './unknown-notice.module.css';
import { lookUpsWords } from './unknown-notice.tsx';

interface DisputeAnswerNoticeProps {
  readonly payment: Payment;
  readonly answer: OpenDisputeAnswer;
  /** True if the page shows a past state, which nobody can change. */
  readonly isPast: boolean;
  readonly onDone: (done: Done) => void;
}

export function DisputeAnswerNotice({ payment, answer: open, isPast, onDone }: DisputeAnswerNoticeProps): ReactNode {
  const [isResolving, setResolving] = useState(false);
  const isOwner = useMay('owner') && !isPast;
  const { answerId, answer, state, reference, requestedAt, lookUpAt, lookUps, evidence } = open;
  const { title, words } = meaningOf(answer, state);
  return (
    <section className={classes['notice']} data-calm={state === 'unknown' ? undefined : true} aria-label={title}>
      <h2>{title}</h2>
      <p>{words}</p>
      <ul>
        {evidence?.detail !== undefined && (
          <li>
            Latest report: <bdi>{evidence.detail}</bdi>
          </li>
        )}
        <li>
          Sent <When ms={Date.parse(requestedAt)} as="second" />. {lookUpsWords(lookUps)}
        </li>
        <li>
          Counterfoil asks the processor again <When ms={Date.parse(lookUpAt)} as="second" />. You need not do anything.
        </li>
        <li>
          Reference at the processor: <CopyText text={reference} label="reference" />
        </li>
      </ul>
      {isOwner && state !== 'open' && (
        <Button variant="default" onClick={() => setResolving(true)}>
          Resolve manually
        </Button>
      )}
      {isResolving && (
        <ResolveDialog
          payment={payment}
          matter={{ attemptId: answerId, operation: answer, isAnswer: true }}
          onDone={(sentence) => onDone({ words: sentence, tone: 'good' })}
          onClose={() => setResolving(false)}
        />
      )}
    </section>
  );
}

function meaningOf(
  answer: OpenDisputeAnswer['answer'],
  state: OpenDisputeAnswer['state'],
): { readonly title: string; readonly words: string } {
  switch (state) {
    case 'open':
      return { title: `Your ${answer} is being sent`, words: 'The processor has not responded yet.' };
    case 'unknown':
      return {
        title: `Outcome of your ${answer} unknown`,
        words: `The processor’s response was lost. Counterfoil checks the status of the dispute and sends nothing again meanwhile. If your ${answer} did not arrive, you can respond again.`,
      };
    case 'pending':
      return {
        title: `Your ${answer} is pending`,
        words: 'The processor accepted it and will report the status of the dispute later.',
      };
    default:
      return state satisfies never;
  }
}
