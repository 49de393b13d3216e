// An answer to a dispute that may have arrived, or not: what that means, what is being asked and when, and for owners a way to settle it.
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
  /** Shown as it once was: nothing can be done with it then. */
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
            Last word: <bdi>{evidence.detail}</bdi>
          </li>
        )}
        <li>
          Sent <When ms={Date.parse(requestedAt)} as="second" />. {lookUpsWords(lookUps)}
        </li>
        <li>
          The processor is asked again <When ms={Date.parse(lookUpAt)} as="second" />; nobody has to do anything.
        </li>
        <li>
          Its reference at the processor: <CopyText text={reference} label="reference" />
        </li>
      </ul>
      {isOwner && state !== 'open' && (
        <Button variant="default" onClick={() => setResolving(true)}>
          Settle by hand
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
      return { title: `Your ${answer} is on its way`, words: 'The processor was called and has not answered yet.' };
    case 'unknown':
      return {
        title: `It is not known whether your ${answer} arrived`,
        words:
          'The reply of the processor was lost. The processor is asked how the dispute stands, and nothing is sent a second time meanwhile. Once it is known that nothing arrived, you can answer again.',
      };
    case 'pending':
      return { title: `Your ${answer} is pending`, words: 'The processor has taken it, and tells later how the dispute stands.' };
    default:
      return state satisfies never;
  }
}
