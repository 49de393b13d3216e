// What can be done with a payment now: only what would be accepted is offered, to those who may.
import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useMay } from '../../app/session.tsx';
import { type Asked, askedOf, type Operation } from './ask-payment.ts';
import { OperationDialog } from './operation-dialog.tsx';
import type { PaymentDetail } from './payment-queries.ts';

interface PaymentActionsProps {
  readonly detail: PaymentDetail;
  /** Told what was done, in a sentence. */
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
    { operation: 'cancel', label: payment.processor.amountCaptured > 0 ? 'Release the rest' : 'Cancel', isPossible: possible.canCancel },
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
      {/* What the dialog showed when it opened stays what it asks for, whatever becomes of the payment meanwhile. */}
      {opened !== undefined && <OperationDialog {...opened} onDone={onDone} onClose={() => setOpened(undefined)} />}
    </>
  );
}
