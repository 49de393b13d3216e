// The dialog of evidence against a dispute: kept as a draft, or sent once.
import { Button, Group, Modal, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { FaultLine } from '../../parts/fault-line.tsx';
import { moneyText } from '../../parts/money.tsx';
import { type AskedDispute, answerDone, type DisputeEvidence, sendEvidence } from './ask-dispute.ts';
import { refreshPayments } from './payment-queries.ts';

const TEXT_CHARACTERS = 20_000;

export function EvidenceDialog(asked: AskedDispute): ReactNode {
  const { dispute, onDone, onClose } = asked;
  const queries = useQueryClient();
  const [text, setText] = useState(dispute.evidence?.text ?? '');
  const [email, setEmail] = useState(dispute.evidence?.customerEmail ?? '');
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
      onDone(submit ? answerDone(asked, after, 'The dispute is challenged.') : { words: 'The draft is saved.', tone: 'good', dispute });
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
    <Modal opened onClose={onClose} title="Evidence against the dispute" closeOnClickOutside={false} closeOnEscape={!isRunning} size="lg">
      <Stack gap="md">
        <Textarea
          label="Your words for the issuer"
          description="What was bought, how it was delivered, and what was said. No card numbers."
          autosize
          minRows={6}
          maxRows={14}
          maxLength={TEXT_CHARACTERS}
          value={text}
          disabled={isRunning}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
          data-autofocus
        />
        <TextInput
          label="Tracking number of the parcel, if there is one"
          maxLength={255}
          value={tracking}
          disabled={isRunning}
          onChange={({ currentTarget }) => setTracking(currentTarget.value)}
        />
        <TextInput
          type="email"
          label="E-mail address of the customer, if it helps"
          maxLength={255}
          value={email}
          disabled={isRunning}
          onChange={({ currentTarget }) => setEmail(currentTarget.value)}
        />
        <Text size="sm">Once it is sent, the evidence cannot be changed, and the issuer decides on {moneyText(dispute)}.</Text>
        <FaultLine fault={fault} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={() => void run(false)} loading={running === 'draft'} disabled={isRunning}>
            Save draft
          </Button>
          <Button onClick={() => void run(true)} loading={running === 'submit'} disabled={isRunning || text.trim() === ''}>
            Challenge the dispute
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
