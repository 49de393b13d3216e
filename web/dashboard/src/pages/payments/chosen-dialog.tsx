// The same operation on several payments, one after the other: what was done, what is not known yet, and each refusal
// with its reason.
import { Alert, Button, Group, Modal, Progress, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ApiFault } from '../../app/api.ts';
import { moneyText } from '../../parts/money.tsx';
import { type Asked, askPayment } from './ask-payment.ts';
import classes from './chosen-dialog.module.css';
import { type PaymentItem, refreshPayments } from './payment-queries.ts';

export type ChosenOperation = 'capture' | 'cancel';

export interface ToAsk {
  readonly operation: ChosenOperation;
  /** With the key of each, made when the dialog opened: to try again is the same request. */
  readonly payments: readonly { readonly payment: PaymentItem; readonly asked: Asked }[];
  /** Chosen payments that the operation cannot be meant for. */
  readonly others: number;
}

interface ChosenDialogProps extends ToAsk {
  readonly onClose: () => void;
  /** Called when all were done. */
  readonly onDone: () => void;
}

interface Refused {
  readonly words: string;
  /** The same request may lead to another answer. */
  readonly isWorthAnotherTry: boolean;
}

interface Answered {
  readonly asked: Asked;
  readonly orderId: string;
  readonly result: 'done' | 'unknown' | Refused;
}

const WORDS: { readonly [O in ChosenOperation]: { readonly verb: string; readonly done: string } } = {
  capture: { verb: 'Capture', done: 'captured' },
  cancel: { verb: 'Cancel', done: 'cancelled' },
};

function refusedBy(thrown: unknown): Refused {
  const words = thrown instanceof Error ? thrown.message : String(thrown);
  if (!(thrown instanceof ApiFault)) return { words, isWorthAnotherTry: true };
  if (thrown.errorId === 'PreconditionFailed')
    return { words: 'It has changed since this dialog was opened. Nothing was done.', isWorthAnotherTry: false };
  const { status, errorId } = thrown;
  return { words, isWorthAnotherTry: status === 0 || status >= 500 || errorId === 'IdempotencyKeyInProgress' };
}
const isAgain = ({ result }: Answered): boolean => typeof result === 'object' && result.isWorthAnotherTry;

const ofPayments = (count: number): string => (count === 1 ? 'one payment' : `${count} payments`);

export function ChosenDialog({ operation, payments, others, onClose, onDone }: ChosenDialogProps): ReactNode {
  const { verb, done } = WORDS[operation];
  const queries = useQueryClient();
  const [answers, setAnswers] = useState<readonly Answered[]>([]);
  const [isRunning, setRunning] = useState(false);
  const refused = answers.filter(({ result }) => typeof result === 'object');
  const isOver = !isRunning && answers.length > 0;
  const run = async (): Promise<void> => {
    setRunning(true);
    const told = answers.filter((one) => !isAgain(one));
    for (const { payment, asked } of payments) {
      if (told.some((one) => one.asked === asked)) continue;
      const result = await askPayment(asked, operation === 'capture' ? { final: true } : {}).catch(refusedBy);
      told.push({ asked, orderId: payment.orderId, result });
      setAnswers([...told]);
    }
    await refreshPayments(queries);
    setRunning(false);
  };
  const close = (): void => {
    if (isOver && refused.length === 0) onDone();
    onClose();
  };
  const count = (what: Answered['result']): number => answers.filter(({ result }) => result === what).length;
  return (
    <Modal
      opened
      onClose={close}
      title={`${verb} ${ofPayments(payments.length)}`}
      closeOnClickOutside={!isRunning}
      closeOnEscape={!isRunning}
    >
      <Stack gap="md">
        {answers.length === 0 && !isRunning && <Question operation={operation} payments={payments} others={others} />}
        {isRunning && (
          <div>
            <Text size="sm" mb="xs">
              {answers.length} of {payments.length}
            </Text>
            <Progress value={(answers.length / payments.length) * 100} aria-label="Payments asked for" />
          </div>
        )}
        {isOver && (
          <Stack gap="xs" role="status">
            {count('done') > 0 && <Text>{`${capital(ofPayments(count('done')))} ${done}.`}</Text>}
            {count('unknown') > 0 && (
              <Alert color="yellow" title="Outcome not known yet">
                {`${capital(ofPayments(count('unknown')))}: the processor has not confirmed the outcome. Counterfoil checks until it is known.`}
              </Alert>
            )}
            {refused.length > 0 && (
              <Alert color="red" title={`Not ${done}: ${ofPayments(refused.length)}`}>
                <ul className={classes['refused']}>
                  {refused.map(({ asked, orderId, result }) => (
                    <li key={asked.paymentId}>
                      <bdi>{orderId}</bdi>: {typeof result === 'object' && result.words}
                    </li>
                  ))}
                </ul>
              </Alert>
            )}
          </Stack>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={close} disabled={isRunning}>
            {isOver ? 'Close' : 'Back'}
          </Button>
          {(!isOver || answers.some(isAgain)) && (
            <Button
              color={operation === 'cancel' ? 'red' : 'accent'}
              loading={isRunning}
              disabled={payments.length === 0}
              onClick={() => void run()}
              data-autofocus
            >
              {isOver ? 'Try again' : verb}
            </Button>
          )}
        </Group>
      </Stack>
    </Modal>
  );
}

const capital = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

/** What is going to happen, with the money in each currency. */
function Question({ operation, payments, others }: ToAsk): ReactNode {
  const sums = new Map<string, bigint>();
  for (const { payment } of payments) {
    const { currencyCode, processor, amount } = payment;
    const part = operation === 'capture' ? processor.amountCapturable : amount;
    sums.set(currencyCode, (sums.get(currencyCode) ?? 0n) + BigInt(part));
  }
  const money = [...sums].map(([currencyCode, sum]) => moneyText({ amount: String(sum), currencyCode })).join(' and ');
  return (
    <>
      <Text fw={500}>
        {operation === 'capture'
          ? `Capture all that can be captured of ${ofPayments(payments.length)}: ${money}.`
          : `Release ${money} of ${ofPayments(payments.length)}. They can no longer be captured.`}
      </Text>
      {others > 0 && (
        <Text size="sm" c="dimmed">
          {`${capital(ofPayments(others))} of those that you chose ${others === 1 ? 'is' : 'are'} left out: nothing can be ${WORDS[operation].done} there.`}
        </Text>
      )}
    </>
  );
}
