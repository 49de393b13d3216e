// The operations on a payment. Only those that the service would accept are offered, to users who may run them.
import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useMay } from '../../app/session.tsx';
import { type Asked, askedOf, type Operation } from './ask-payment.ts';
import { OperationDialog } from './operation-dialog.tsx';
import type { PaymentDetail } from './payment-queries.ts';

interface PaymentActionsProps {
  readonly detail: PaymentDetail;
  /** Called with a sentence on what was done. */
  readonly onDone: (sentence: string) => void;
}

interface Action {
  readonly operation: Operation;
  readonly label: string;
  readonly isPossible: boolean;
}

export function PaymentActions({ detail, onDone }: PaymentActionsProps): ReactNode {
  const [opened, setOpened] = useState<{ readonly detail: PaymentDetail; readonly asked: Asked }>();
  const isAllowed = useMay('owner', 'support');
  if (!isAllowed) return null;
  const { possible, payment } = detail;
  const actions: readonly Action[] = [
    { operation: 'capture', label: 'Capture', isPossible: possible.captureUpTo > 0 },
    { operation: 'adjust', label: 'Adjust', isPossible: possible.canAdjust },
    {
      operation: 'cancel',
      label: payment.processor.amountCaptured > 0 ? 'Release remaining' : 'Cancel',
      isPossible: possible.canCancel,
    },
    { operation: 'refund', label: 'Refund', isPossible: possible.refundUpTo > 0 },
  ];
  return (
    <>
      {actions
        .filter(({ isPossible }) => isPossible)
        .map(({ operation, label }) => (
          <Button
            key={operation}
            variant={operation === 'capture' ? 'filled' : 'default'}
            onClick={() => setOpened({ detail, asked: askedOf(operation, payment) })}
          >
            {label}
          </Button>
        ))}
      {/* The dialog asks for what it showed when it opened, even if the payment changes meanwhile. */}
      {opened !== undefined && <OperationDialog {...opened} onDone={onDone} onClose={() => setOpened(undefined)} />}
    </>
  );
}
