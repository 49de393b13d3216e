// The dialog in which an owner resolves an unknown outcome manually. The processor is asked first; the evidence is kept
// for good.
import { Alert, Button, Group, Modal, Radio, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { answerOf, api } from '../../app/api.ts';
import { withConfirmedPassword } from '../../app/confirm-password.tsx';
import { FaultLine } from '../../parts/fault-line.tsx';
import { type Payment, refreshPayments } from './payment-queries.ts';

/**
 * One attempt, or one response to a dispute. Without an operation it is the payment as a whole: OVER_REFUNDED, or
 * DIFFERS.
 */
export interface Matter {
  readonly attemptId: string;
  /** The operation of the attempt; for a response to a dispute, evidence or acceptance. */
  readonly operation?: string;
  readonly isAnswer?: true;
}

const wholeOf = ({ attemptId }: Matter): string => (attemptId === 'DIFFERS' ? 'difference' : 'over-refund');

interface ResolveDialogProps {
  readonly payment: Pick<Payment, 'id'>;
  readonly matter: Matter;
  readonly onDone: (sentence: string) => void;
  readonly onClose: () => void;
}

type Outcome = 'succeeded' | 'failed';
const MOST_EVIDENCE = 1_000;

export function ResolveDialog({ payment, matter, onDone, onClose }: ResolveDialogProps): ReactNode {
  return (
    <Modal
      opened
      onClose={onClose}
      title={matter.operation === undefined ? `Close ${wholeOf(matter)}` : `Resolve the ${matter.operation} manually`}
      size="lg"
    >
      <Form payment={payment} matter={matter} onDone={onDone} onClose={onClose} />
    </Modal>
  );
}

function Form({ payment, matter, onDone, onClose }: ResolveDialogProps): ReactNode {
  const { attemptId, operation, isAnswer = false } = matter;
  const words = isAnswer ? ARRIVED : HAPPENED;
  const what = operation ?? wholeOf(matter);
  const queries = useQueryClient();
  const [as, setAs] = useState<Outcome | undefined>(operation === undefined ? 'succeeded' : undefined);
  const [evidence, setEvidence] = useState('');
  const [transactionId, setTransactionId] = useState('');
  const [isRunning, setRunning] = useState(false);
  const [fault, setFault] = useState<Error>();
  const [contrary, setContrary] = useState<string>();
  const isReady = as !== undefined && evidence.trim() !== '';

  const run = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (as === undefined || !isReady) return;
    setRunning(true);
    setFault(undefined);
    const named = as === 'succeeded' && transactionId.trim() !== '' ? { transactionId: transactionId.trim() } : {};
    const body = { attemptId, as, evidence: evidence.trim(), ...named };
    try {
      const answer = await withConfirmedPassword(() =>
        answerOf(api.POST('/dashboard/api/payments/{id}/resolve', { params: { path: { id: payment.id } }, body })),
      );
      await refreshPayments(queries);
      const { settled, succeeded } = answer;
      if (settled === 'byProcessor' && succeeded !== (as === 'succeeded'))
        return setContrary(`the ${what} ${succeeded ? words.succeeded : words.failed}`);
      onDone(sentenceOf(settled, what, words[as]));
      onClose();
    } catch (thrown) {
      setFault(thrown instanceof Error ? thrown : new Error(String(thrown)));
    } finally {
      setRunning(false);
    }
  };

  if (contrary !== undefined)
    return (
      <Stack gap="md">
        <Alert color="yellow" title="The processor reported a different outcome">
          We checked with the processor first, and it reported that {contrary}. That result was recorded; yours was not.
        </Alert>
        <Group justify="flex-end">
          <Button onClick={onClose}>Close</Button>
        </Group>
      </Stack>
    );
  return (
    <form onSubmit={(event) => void run(event)}>
      <Stack gap="md">
        <Text>
          {operation === undefined
            ? 'The payment no longer needs manual action. No money moves.'
            : 'We check with the processor first. If it does not know the outcome, your confirmation counts. It becomes an event of this payment, with your name and the evidence, and is never deleted.'}
        </Text>
        {operation !== undefined && (
          <Radio.Group
            label="What happened"
            value={as ?? null}
            onChange={(value) => setAs(value === 'succeeded' ? 'succeeded' : 'failed')}
            withAsterisk
          >
            <Stack gap="xs" mt="xs">
              <Radio
                value="succeeded"
                label={isAnswer ? `The processor has the ${operation}` : `The ${operation} succeeded as requested`}
                disabled={isRunning}
              />
              <Radio value="failed" label={`The ${operation} ${words.failed}`} disabled={isRunning} />
            </Stack>
          </Radio.Group>
        )}
        <Textarea
          label="Evidence"
          description="How you know, such as a line of a statement or a ticket with the processor."
          withAsterisk
          autosize
          minRows={3}
          maxLength={MOST_EVIDENCE}
          value={evidence}
          disabled={isRunning}
          onChange={({ currentTarget }) => setEvidence(currentTarget.value)}
        />
        {as === 'succeeded' && operation !== undefined && !isAnswer && (
          <TextInput
            label="Id at the processor"
            description="The id of the success, if you know it. Later captures and refunds refer to it."
            maxLength={255}
            value={transactionId}
            disabled={isRunning}
            onChange={({ currentTarget }) => setTransactionId(currentTarget.value)}
          />
        )}
        <FaultLine fault={fault} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} disabled={isRunning}>
            Back
          </Button>
          <Button type="submit" loading={isRunning} disabled={!isReady}>
            {operation === undefined ? `Close ${what}` : 'Resolve'}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

const HAPPENED: { readonly [as in Outcome]: string } = { succeeded: 'succeeded', failed: 'did not happen' };
const ARRIVED: { readonly [as in Outcome]: string } = { succeeded: 'arrived', failed: 'never arrived' };

function sentenceOf(settled: 'byWord' | 'byProcessor' | 'closed', what: string, became: string): string {
  switch (settled) {
    case 'byWord':
      return `Resolved: the ${what} ${became}, by your confirmation.`;
    case 'byProcessor':
      return 'Resolved: the processor confirmed the outcome, so your confirmation was not needed.';
    case 'closed':
      return `The ${what} was closed.`;
    default:
      return settled satisfies never;
  }
}
