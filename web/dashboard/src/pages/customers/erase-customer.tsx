// The button with which an owner erases a customer's personal data, and the question before it.
import { Button, List, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { answerOf, api } from '../../app/api.ts';
import { withConfirmedPassword } from '../../app/confirm-password.tsx';
import { ConfirmDialog } from '../../parts/confirm.tsx';

export function EraseCustomer({ customerId }: { readonly customerId: string }): ReactNode {
  const [isAsked, setAsked] = useState(false);
  const client = useQueryClient();
  const erase = async (): Promise<void> => {
    await withConfirmedPassword(() => answerOf(api.POST('/dashboard/api/customer/erase', { body: { customerId } })));
    await client.invalidateQueries();
  };
  return (
    <>
      <Button variant="default" color="red" onClick={() => setAsked(true)}>
        Erase personal data
      </Button>
      <ConfirmDialog
        isOpen={isAsked}
        onClose={() => setAsked(false)}
        title="Erase this customer’s personal data?"
        confirm="Erase for good"
        isDangerous
        typed={customerId}
        onConfirm={erase}
      >
        <Stack gap="sm">
          <Text>This cannot be undone, and takes some seconds.</Text>
          <Text fw={500}>What goes</Text>
          <List>
            <List.Item>Name, e-mail address, phone number and addresses, in payments and client sessions</List.Item>
            <List.Item>Saved cards and accounts, and the cardholder’s name</List.Item>
            <List.Item>The address and browser of a consent; agreements can no longer be charged</List.Item>
            <List.Item>Evidence in disputes, notes on payments, and the processor’s notifications</List.Item>
          </List>
          <Text fw={500}>What stays</Text>
          <List>
            <List.Item>Payments with amounts, statuses, order, metadata, and the last digits of a card</List.Item>
            <List.Item>The customer id and the order ids</List.Item>
            <List.Item>Backups, until their next run, and what your own systems have copied</List.Item>
          </List>
        </Stack>
      </ConfirmDialog>
    </>
  );
}
