// The dialog that renames the account. Its users see the name here, and customers on payment links and at the bank.
import { Modal, Stack, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { answerOf, api } from '../../app/api.ts';
import { queries } from '../../app/queries.ts';
import { sessionQuery, useUser } from '../../app/session.tsx';
import { useRunning } from '../../app/use-running.ts';
import { FormEnd } from '../../parts/form-end.tsx';

interface RenameDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export const RenameDialog = ({ isOpen, onClose }: RenameDialogProps): ReactNode => (
  <Modal opened={isOpen} onClose={onClose} title="Rename account">
    <NewName onClose={onClose} />
  </Modal>
);

function NewName({ onClose }: Pick<RenameDialogProps, 'onClose'>): ReactNode {
  const { accountName } = useUser();
  const [name, setName] = useState(accountName);
  const { isRunning, fault, run } = useRunning(async () => {
    await answerOf(api.PATCH('/dashboard/api/account', { body: { name: name.trim() } }));
    await queries.invalidateQueries(sessionQuery);
    onClose();
  });
  return (
    <form onSubmit={run}>
      <Stack gap="md">
        <TextInput
          label="Name"
          description="Users see it in the dashboard, and customers on payment links and on the bank’s page."
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
          maxLength={255}
          autoComplete="off"
          data-autofocus
        />
        <FormEnd
          fault={fault}
          submit="Rename"
          isRunning={isRunning}
          isIncomplete={name.trim() === '' || name.trim() === accountName}
          onCancel={onClose}
        />
      </Stack>
    </form>
  );
}
