// The question before a dispute is accepted.
import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ConfirmDialog } from '../../parts/confirm.tsx';
import { moneyText } from '../../parts/money.tsx';
import { type AskedDispute, acceptDispute, answerDone } from './ask-dispute.ts';
import { refreshPayments } from './payment-queries.ts';

export function AcceptDialog(asked: AskedDispute): ReactNode {
  const { dispute, onDone, onClose } = asked;
  const queries = useQueryClient();
  const accept = async (): Promise<void> => {
    try {
      onDone(answerDone(asked, await acceptDispute(asked), 'The dispute is accepted.'));
    } finally {
      void refreshPayments(queries);
    }
  };
  return (
    <ConfirmDialog isOpen onClose={onClose} title="Accept the dispute" confirm="Accept the dispute" isDangerous onConfirm={accept}>
      The customer keeps {moneyText(dispute)}, and the dispute can no longer be challenged.
    </ConfirmDialog>
  );
}
