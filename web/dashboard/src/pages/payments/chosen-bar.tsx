// What can be done with several payments at once: capture, cancel, CSV. Each is asked for separately, so that a refusal
// of one holds back no other.
import { Button, Group } from '@mantine/core';
import { DownloadIcon } from '@radix-ui/react-icons';
import { type ReactNode, useState } from 'react';
import { useMay } from '../../app/session.tsx';
import { askedOf } from './ask-payment.ts';
import classes from './chosen-bar.module.css';
import { ChosenDialog, type ChosenOperation, type ToAsk } from './chosen-dialog.tsx';
import type { PaymentItem } from './payment-queries.ts';

interface ChosenBarProps {
  readonly chosen: readonly PaymentItem[];
  readonly onClear: () => void;
}

/** The service decides; these are the payments for which it may say yes. */
const CAN: { readonly [O in ChosenOperation]: (payment: PaymentItem) => boolean } = {
  capture: ({ processor }) => processor.amountCapturable > 0,
  cancel: ({ status, processor }) =>
    processor.amountCaptured === 0 && (status === 'PENDING' || processor.amountCapturable > 0),
};

export function ChosenBar({ chosen, onClear }: ChosenBarProps): ReactNode {
  const [asked, setAsked] = useState<ToAsk>();
  const mayOperate = useMay('owner', 'support');
  const mayExport = useMay('owner', 'support', 'auditor');
  const open = (operation: ChosenOperation): void =>
    setAsked({
      operation,
      payments: chosen.filter(CAN[operation]).map((payment) => ({ payment, asked: askedOf(operation, payment) })),
      others: chosen.filter((payment) => !CAN[operation](payment)).length,
    });
  const csv = new URLSearchParams({ id: chosen.map(({ id }) => id).join(',') });
  return (
    <div className={classes['bar']} role="toolbar" aria-label="Chosen payments">
      <span aria-live="polite">{chosen.length} chosen</span>
      <Group gap="xs">
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
        {mayExport && (
          <Button
            component="a"
            href={`/dashboard/api/payments.csv?${csv}`}
            download
            variant="default"
            size="compact-md"
            leftSection={<DownloadIcon />}
          >
            CSV of these
          </Button>
        )}
        <Button variant="subtle" size="compact-md" onClick={onClear}>
          Clear
        </Button>
      </Group>
      {asked !== undefined && <ChosenDialog {...asked} onClose={() => setAsked(undefined)} onDone={onClear} />}
    </div>
  );
}
