// The dialog for evidence in a dispute, which is saved as a draft or sent once.
import { Button, Group, Modal, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { FaultLine } from '../../parts/fault-line.tsx';
import { moneyText } from '../../parts/money.tsx';
import { type AskedDispute, answerDone, type DisputeEvidence, sendEvidence } from './ask-dispute.ts';
import { evidenceText, seenWords } from './evidence-text.ts';
import { refreshPayments } from './payment-queries.ts';

const TEXT_CHARACTERS = 20_000;

export function EvidenceDialog(asked: AskedDispute): ReactNode {
  const { payment, dispute, shown, agreement, onDone, onClose } = asked;
  const queries = useQueryClient();
  const [text, setText] = useState(
    dispute.evidence?.text ?? evidenceText(payment, shown, agreement).slice(0, TEXT_CHARACTERS),
  );
  const [email, setEmail] = useState(
    dispute.evidence === undefined ? (payment.customer?.emailAddress ?? '') : (dispute.evidence.customerEmail ?? ''),
  );
  const [tracking, setTracking] = useState(dispute.evidence?.shippingTrackingNumber ?? '');
  const [running, setRunning] = useState<'draft' | 'submit'>();
  const [fault, setFault] = useState<Error>();

  const run = async (submit: boolean): Promise<void> => {
    setRunning(submit ? 'submit' : 'draft');
    setFault(undefined);
    const body: DisputeEvidence = {
      text,
      ...(email.trim() !== '' && { customerEmail: email.trim() }),
      ...(tracking.trim() !== '' && { shippingTrackingNumber: tracking.trim() }),
      submit,
    };
    try {
      const after = await sendEvidence(asked, body);
      onDone(
        submit ? answerDone(asked, after, 'Dispute challenged.') : { words: 'Draft saved.', tone: 'good', dispute },
      );
      onClose();
    } catch (thrown) {
      setFault(thrown instanceof Error ? thrown : new Error(String(thrown)));
    } finally {
      setRunning(undefined);
      void refreshPayments(queries);
    }
  };

  const isRunning = running !== undefined;
  return (
    <Modal
      opened
      onClose={onClose}
      title="Evidence for this dispute"
      closeOnClickOutside={false}
      closeOnEscape={!isRunning}
      size="lg"
    >
      <Stack gap="md">
        <Textarea
          label="Statement to the issuer"
          description={
            dispute.evidence === undefined
              ? `Filled in from ${agreement === undefined ? 'the order and the customer' : 'the order, the customer and the agreement'}. Add how you delivered it, and what you agreed. Do not include card numbers.`
              : 'What the customer bought, how you delivered it, and what you agreed. Do not include card numbers.'
          }
          autosize
          minRows={6}
          maxRows={14}
          maxLength={TEXT_CHARACTERS}
          value={text}
          disabled={isRunning}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
          data-autofocus
        />
        {shown !== undefined && !text.includes(seenWords(shown, payment.date)) && (
          <Group gap="xs">
            <Text size="sm" flex={1}>
              On record: {seenWords(shown, payment.date)}
            </Text>
            <Button
              variant="default"
              size="compact-sm"
              disabled={isRunning}
              onClick={() => setText(withSentence(text, seenWords(shown, payment.date)))}
            >
              Add to statement
            </Button>
          </Group>
        )}
        <TextInput
          label="Tracking number (optional)"
          maxLength={255}
          value={tracking}
          disabled={isRunning}
          onChange={({ currentTarget }) => setTracking(currentTarget.value)}
        />
        <TextInput
          type="email"
          label="E-mail address of the customer (optional)"
          maxLength={255}
          value={email}
          disabled={isRunning}
          onChange={({ currentTarget }) => setEmail(currentTarget.value)}
        />
        <Text size="sm">
          You cannot change the evidence after you send it. The issuer then decides on {moneyText(dispute)}.
        </Text>
        <FaultLine fault={fault} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={() => void run(false)} loading={running === 'draft'} disabled={isRunning}>
            Save draft
          </Button>
          <Button
            onClick={() => void run(true)}
            loading={running === 'submit'}
            disabled={isRunning || text.trim() === ''}
          >
            Challenge dispute
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

const withSentence = (text: string, sentence: string): string =>
  text.trim() === '' ? sentence : `${text.trimEnd()}\n\n${sentence}`;
