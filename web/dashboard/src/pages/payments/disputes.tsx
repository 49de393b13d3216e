// The disputes of a payment, each with its actions: save or send evidence, or accept.
import { Button, Group } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { businessNow } from '../../app/business-time.ts';
import { useMay } from '../../app/session.tsx';
import { ConfirmDialog } from '../../parts/confirm.tsx';
import { nameText } from '../../parts/customer-name.tsx';
import type { Done } from '../../parts/done-line.tsx';
import { Money, moneyText } from '../../parts/money.tsx';
import { Section } from '../../parts/section.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { When } from '../../parts/when.tsx';
import type { Dispute } from '../disputes/dispute-queries.ts';
import { meaningOf, reasonWords, refundWords, roundWords } from '../disputes/dispute-words.ts';
import { Due } from '../disputes/due.tsx';
import {
  type AskedDispute,
  acceptDispute,
  agreementEvidenceQuery,
  answerDone,
  type DisputeDone,
} from './ask-dispute.ts';
import { DisputeAnswerNotice } from './dispute-answer-notice.tsx';
import classes from './disputes.module.css';
import { EvidenceDialog } from './evidence-dialog.tsx';
import { type PaymentDetail, refreshPayments } from './payment-queries.ts';

interface DisputesProps {
  readonly detail: PaymentDetail;
  /** True if the page shows a past state, which nobody can change. */
  readonly isPast: boolean;
  /** Called with a sentence on what was done. */
  readonly onDone: (done: Done | DisputeDone) => void;
}

export function Disputes({ detail, isPast, onDone }: DisputesProps): ReactNode {
  const { disputes = [] } = detail.payment;
  if (disputes.length === 0) return null;
  return (
    <Section title={disputes.length === 1 ? 'Dispute' : 'Disputes'}>
      <ul className={classes['list']}>
        {disputes.map((dispute) => (
          <li key={dispute.id} className={classes['dispute']}>
            <One detail={detail} isPast={isPast} dispute={dispute} onDone={onDone} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

function One({ detail, isPast, dispute, onDone }: DisputesProps & { readonly dispute: Dispute }): ReactNode {
  const { payment } = detail;
  const answer = detail.openDisputeAnswers.find(({ disputeId }) => disputeId === dispute.id);
  const [opened, setOpened] = useState<{ readonly what: 'evidence' | 'acceptance'; readonly version: number }>();
  const isAllowed = useMay('owner', 'support') && !isPast;
  const { status, evidence, statusReason, challengeRequiredBy, openedAt } = dispute;
  const isLate = challengeRequiredBy !== undefined && Date.parse(challengeRequiredBy) <= businessNow();
  const refunded = isLate ? undefined : refundWords(dispute, payment);
  const mayAnswer = isAllowed && status === 'OPEN' && !isLate && answer === undefined;
  const isPrefilled = mayAnswer && evidence === undefined && payment.agreementId !== undefined;
  const agreement = useQuery({ ...agreementEvidenceQuery(payment.id), enabled: isPrefilled });
  const close = (): void => setOpened(undefined);
  const asked = {
    payment,
    dispute,
    shown: detail.shown,
    agreement: agreement.data,
    version: opened?.version ?? payment.version,
    onDone,
    onClose: close,
  };
  return (
    <>
      <div className={classes['head']}>
        <strong className="numbers">{moneyText(dispute)}</strong>
        <StatusBadge status={status} />
        <span className={classes['dim']}>
          {[roundWords(dispute), reasonWords(dispute)].filter((one) => one !== undefined).join(' · ')}
        </span>
      </div>
      <p className={classes['line']}>
        {status === 'OPEN' && isLate
          ? 'You can no longer respond to this dispute. Counterfoil is asking the processor for its outcome.'
          : meaningOf(status)}
        {dispute.amountRefunded !== undefined && dispute.amountRefunded > 0 && (
          <>
            {' '}
            The processor refunded <Money amount={dispute.amountRefunded} currencyCode={dispute.currencyCode} /> to the
            customer, which you cannot refund again.
          </>
        )}
      </p>
      {refunded !== undefined && (
        <p className={classes['line']}>
          <strong>{refunded}</strong>
        </p>
      )}
      <p className={classes['times']}>
        <Buyer payment={payment} />
        Opened <When ms={Date.parse(openedAt)} />
        {status === 'OPEN' && challengeRequiredBy !== undefined && (
          <>
            {' · '}
            <strong>
              {isLate ? 'The deadline' : 'Respond'} <Due ms={Date.parse(challengeRequiredBy)} />
            </strong>
          </>
        )}
      </p>
      {answer !== undefined && (
        <DisputeAnswerNotice payment={payment} answer={answer} isPast={isPast} onDone={onDone} />
      )}
      {answer === undefined && statusReason?.message !== undefined && (
        <p className={classes['line']}>
          Your last response: <bdi>{statusReason.message}</bdi>
        </p>
      )}
      {evidence !== undefined && (
        <div className={classes['evidence']}>
          <strong>{evidence.submitted ? 'Evidence sent to the issuer' : 'Draft evidence, not sent yet'}</strong>
          <p className={classes['text']}>{evidence.text === '' ? '–' : evidence.text}</p>
          {evidence.shippingTrackingNumber !== undefined && (
            <span className={classes['dim']}>
              Tracking number <bdi>{evidence.shippingTrackingNumber}</bdi>
            </span>
          )}
          {evidence.customerEmail !== undefined && (
            <span className={classes['dim']}>
              Customer’s e-mail address <bdi>{evidence.customerEmail}</bdi>
            </span>
          )}
        </div>
      )}
      {mayAnswer && (
        <Group gap="xs" mt={4}>
          <Button
            loading={agreement.isLoading}
            onClick={() => setOpened({ what: 'evidence', version: payment.version })}
          >
            {evidence === undefined ? 'Add evidence' : 'Edit or send evidence'}
          </Button>
          <Button variant="default" onClick={() => setOpened({ what: 'acceptance', version: payment.version })}>
            Accept dispute
          </Button>
        </Group>
      )}
      {opened?.what === 'evidence' && <EvidenceDialog {...asked} />}
      {opened?.what === 'acceptance' && <AcceptDialog {...asked} />}
    </>
  );
}

/** The order and its customer, who are far below on a narrow screen. */
function Buyer({ payment: { orderId, customerId, customer } }: Pick<AskedDispute, 'payment'>): ReactNode {
  const name = nameText(customer ?? {});
  const buyer = name === '' ? customerId : name;
  return (
    <>
      Order <bdi>{orderId}</bdi>
      {buyer !== undefined && (
        <>
          {' · '}
          <bdi>{buyer}</bdi>
        </>
      )}
      {' · '}
    </>
  );
}

/** The question before a dispute is accepted. */
function AcceptDialog(asked: AskedDispute): ReactNode {
  const { payment, dispute, onDone, onClose } = asked;
  const refunded = refundWords(dispute, payment);
  const queries = useQueryClient();
  const accept = async (): Promise<void> => {
    try {
      onDone(answerDone(asked, await acceptDispute(asked), 'Dispute accepted.'));
    } finally {
      void refreshPayments(queries);
    }
  };
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title="Accept this dispute?"
      confirm="Accept dispute"
      isDangerous
      onConfirm={accept}
    >
      The customer keeps {moneyText(dispute)}, and you can no longer challenge the dispute.
      {refunded !== undefined && <> {refunded}</>}
    </ConfirmDialog>
  );
}
