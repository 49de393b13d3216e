// What can be done with several payments at once: capture, cancel, CSV. Each is asked for separately, so that a refusal
// of one holds back no other.
import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useMay } from '../../app/session.tsx';
import { ChosenBar } from '../../parts/chosen-bar.tsx';
import { askedOf } from './ask-payment.ts';
import { ChosenDialog, type ChosenOperation, type ToAsk } from './chosen-dialog.tsx';
import type { PaymentItem } from './payment-queries.ts';

interface ChosenPaymentsProps {
  readonly chosen: readonly PaymentItem[];
  readonly onClear: () => void;
}

/** The service decides; these are the payments for which it may say yes. */
const CAN: { readonly [O in ChosenOperation]: (payment: PaymentItem) => boolean } = {
  capture: ({ processor }) => processor.amountCapturable > 0,
  cancel: ({ status, processor }) =>
    processor.amountCaptured === 0 && (status === 'PENDING' || processor.amountCapturable > 0),
};

export function ChosenPayments({ chosen, onClear }: ChosenPaymentsProps): ReactNode {
  const [asked, setAsked] = useState<ToAsk>();
  const mayOperate = useMay('owner', 'support');
  const open = (operation: ChosenOperation): void =>
    setAsked({
      operation,
      payments: chosen.filter(CAN[operation]).map((payment) => ({ payment, asked: askedOf(operation, payment) })),
      others: chosen.filter((payment) => !CAN[operation](payment)).length,
    });
  return (
    <>
      <ChosenBar
        label="Chosen payments"
        ids={chosen.map(({ id }) => id)}
        csvPath="/dashboard/api/payments.csv"
        onClear={onClear}
      >
        {mayOperate &&
          (['capture', 'cancel'] as const).map((operation) => (
            <Button
              key={operation}
              variant="default"
              size="compact-md"
              disabled={!chosen.some(CAN[operation])}
              onClick={() => open(operation)}
            >
              {operation === 'capture' ? 'Capture' : 'Cancel'}
            </Button>
          ))}
      </ChosenBar>
      {asked !== undefined && <ChosenDialog {...asked} onClose={() => setAsked(undefined)} onDone={onClear} />}
    </>
  );
}
