// The dialog of capture, refund, adjustment and cancellation: an exact amount, a sentence on what will happen, and an
// outcome that is never shown as done while it is unknown.
import { Alert, Button, Checkbox, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { decimalText } from '../../../../../src/domain/currency.ts';
import { ApiFault } from '../../app/api.ts';
import { FaultLine } from '../../parts/fault-line.tsx';
import { minorUnits } from '../../parts/minor-units.ts';
import { moneyText } from '../../parts/money.tsx';
import { type Asked, adviceOn, askPayment, type Fields } from './ask-payment.ts';
import { wordsOf } from './operation-words.ts';
import { type PaymentDetail, refreshPayments } from './payment-queries.ts';

interface OperationDialogProps {
  /** The payment as the page showed it when the dialog opened. */
  readonly detail: PaymentDetail;
  readonly asked: Asked;
  readonly onDone: (sentence: string) => void;
  readonly onClose: () => void;
}

export function OperationDialog(props: OperationDialogProps): ReactNode {
  const { detail, asked, onClose } = props;
  const [isRunning, setRunning] = useState(false);
  return (
    <Modal
      opened
      onClose={onClose}
      title={wordsOf(asked.operation, detail).title}
      closeOnClickOutside={!isRunning}
      closeOnEscape={!isRunning}
    >
      <Form {...props} isRunning={isRunning} onRunning={setRunning} />
    </Modal>
  );
}

/** The largest amount in minor units, or undefined if there is no amount or no limit. */
function mostOf({ operation }: Asked, { possible }: PaymentDetail): number | undefined {
  if (operation === 'capture') return possible.captureUpTo;
  return operation === 'refund' ? possible.refundUpTo : undefined;
}

/** A space that keeps the line, so that the buttons do not move while an amount is typed. */
const NOTHING_TO_SAY = '\u00a0';

interface FormProps extends OperationDialogProps {
  readonly isRunning: boolean;
  readonly onRunning: (isRunning: boolean) => void;
}

function Form({ detail, asked, onDone, onClose, isRunning, onRunning }: FormProps): ReactNode {
  const { operation } = asked;
  const { currencyCode } = detail.payment;
  const queries = useQueryClient();
  const words = wordsOf(operation, detail);
  const most = mostOf(asked, detail);
  const [text, setText] = useState(decimalText(most ?? detail.payment.processor.amountAuthorized, currencyCode));
  const [reason, setReason] = useState('');
  const [isFinal, setFinal] = useState(true);
  const [fault, setFault] = useState<Error>();
  const [isUnknown, setUnknown] = useState(false);
  const hasAmount = operation !== 'cancel';
  const amount = hasAmount ? minorUnits(text, currencyCode) : undefined;
  const wrong = hasAmount ? faultOf(amount, most, currencyCode) : undefined;

  const run = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (wrong !== undefined || isRunning) return;
    onRunning(true);
    setFault(undefined);
    try {
      const outcome = await askPayment(asked, fieldsOf(asked, { amount, isFinal, reason: reason.trim() }));
      await refreshPayments(queries);
      if (outcome === 'unknown') return setUnknown(true);
      onDone(words.done(amount));
      onClose();
    } catch (thrown) {
      setFault(thrown instanceof Error ? thrown : new Error(String(thrown)));
      void refreshPayments(queries);
    } finally {
      onRunning(false);
    }
  };

  if (isUnknown) return <NotKnownYet operation={operation} onClose={onClose} />;
  const isPartCapture = operation === 'capture' && amount !== undefined && most !== undefined && amount < most;
  return (
    <form onSubmit={(event) => void run(event)} noValidate>
      <Stack gap="md">
        {hasAmount && (
          <TextInput
            label={operation === 'adjust' ? 'New total' : 'Amount'}
            description={most === undefined ? undefined : `At most ${moneyText({ amount: most, currencyCode })}`}
            inputMode="decimal"
            autoComplete="off"
            rightSection={
              <Text size="sm" c="dimmed">
                {currencyCode}
              </Text>
            }
            rightSectionWidth={56}
            value={text}
            error={wrong}
            disabled={isRunning}
            onChange={({ currentTarget }) => setText(currentTarget.value)}
            data-autofocus
          />
        )}
        {isPartCapture && (
          <Checkbox
            label={`Release the remaining ${moneyText({ amount: most - amount, currencyCode })}, which cannot be captured later`}
            checked={isFinal}
            disabled={isRunning}
            onChange={({ currentTarget }) => setFinal(currentTarget.checked)}
          />
        )}
        {(operation === 'refund' || operation === 'cancel') && (
          <TextInput
            label="Reason"
            description="Optional. It is kept in the payment’s history."
            maxLength={255}
            value={reason}
            disabled={isRunning}
            onChange={({ currentTarget }) => setReason(currentTarget.value)}
            {...(!hasAmount && { 'data-autofocus': true })}
          />
        )}
        <Text fw={500} data-testid="summary">
          {wrong === undefined ? words.summary(amount) : NOTHING_TO_SAY}
        </Text>
        <FaultLine fault={fault} />
        {fault instanceof ApiFault && <Advice fault={fault} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} disabled={isRunning}>
            {fault === undefined ? 'Back' : 'Close'}
          </Button>
          <Button
            type="submit"
            color={operation === 'cancel' ? 'red' : 'accent'}
            loading={isRunning}
            disabled={wrong !== undefined}
          >
            {fault === undefined ? words.button : 'Try again'}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function fieldsOf(
  { operation }: Asked,
  {
    amount,
    isFinal,
    reason,
  }: { readonly amount: number | undefined; readonly isFinal: boolean; readonly reason: string },
): Fields {
  return {
    ...(amount !== undefined && { amount }),
    ...(operation === 'capture' && { final: isFinal }),
    ...(reason !== '' && { reason }),
  };
}

function faultOf(amount: number | undefined, most: number | undefined, currencyCode: string): string | undefined {
  if (amount === undefined) return `Enter an amount such as ${decimalText(5490, currencyCode)}.`;
  if (amount < 1) return 'The amount must be greater than zero.';
  return most !== undefined && amount > most ? `At most ${moneyText({ amount: most, currencyCode })}.` : undefined;
}

const Advice = ({ fault }: { readonly fault: ApiFault }): ReactNode => {
  const advice = adviceOn(fault);
  return advice === undefined ? null : <Text size="sm">{advice}</Text>;
};

const NotKnownYet = ({
  operation,
  onClose,
}: {
  readonly operation: Asked['operation'];
  readonly onClose: () => void;
}): ReactNode => (
  <Stack gap="md">
    <Alert color="yellow" title="Outcome not known yet">
      The processor has not confirmed the outcome of the {NOUNS[operation]}. It may have succeeded. Counterfoil checks
      automatically until the outcome is known, and the page shows when. Do not attempt it elsewhere in the meantime.
    </Alert>
    <Group justify="flex-end">
      <Button onClick={onClose} data-autofocus>
        Close
      </Button>
    </Group>
  </Stack>
);

const NOUNS: { readonly [O in Asked['operation']]: string } = {
  capture: 'capture',
  refund: 'refund',
  cancel: 'cancellation',
  adjust: 'adjustment',
};
