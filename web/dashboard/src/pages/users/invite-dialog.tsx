// The dialog that invites a user with an e-mail address and a role. The response has a link to pass on.
import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { answerOf, api } from '../../app/api.ts';
import { withConfirmedPassword } from '../../app/confirm-password.tsx';
import type { Role } from '../../app/session.tsx';
import { Refused } from '../sign-in/gate.tsx';
import { useSubmit } from '../sign-in/sign-in-page.tsx';
import type { MadeLink } from './link-dialog.tsx';
import { RoleChoice } from './role-choice.tsx';

interface InviteDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onMade: (made: MadeLink) => void;
}

export function InviteDialog({ isOpen, ...props }: InviteDialogProps): ReactNode {
  return (
    <Modal opened={isOpen} onClose={props.onClose} title="Invite user">
      <Invitation {...props} />
    </Modal>
  );
}

function Invitation({ onClose, onMade }: Omit<InviteDialogProps, 'isOpen'>): ReactNode {
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('developer');
  const { run, isRunning, why } = useSubmit();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void run(async () => {
      const { link } = await withConfirmedPassword(() =>
        answerOf(api.POST('/dashboard/api/users', { body: { email, role } })),
      );
      onClose();
      onMade({ email, link });
    });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <TextInput
          label="E-mail"
          type="email"
          autoComplete="off"
          required
          withAsterisk={false}
          value={email}
          onChange={({ currentTarget }) => setEmail(currentTarget.value)}
          data-autofocus
        />
        <RoleChoice value={role} onChange={setRole} />
        <Refused why={why} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={isRunning}>
            Invite
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
