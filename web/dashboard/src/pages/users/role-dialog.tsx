// Another role for a user.
import { Button, Group, Modal, Stack } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { answerOf, api } from '../../app/api.ts';
import { withConfirmedPassword } from '../../app/confirm-password.tsx';
import type { Role } from '../../app/session.tsx';
import { Refused } from '../sign-in/gate.tsx';
import { useSubmit } from '../sign-in/sign-in-page.tsx';
import { RoleChoice } from './role-choice.tsx';

/** The user whose role is changed. */
interface RoleHolder {
  readonly id: string;
  readonly email: string;
  readonly role: Role;
}

interface RoleDialogProps {
  /** Undefined: it is closed. */
  readonly user: RoleHolder | undefined;
  readonly onClose: () => void;
}

export function RoleDialog({ user, onClose }: RoleDialogProps): ReactNode {
  return (
    <Modal
      opened={user !== undefined}
      onClose={onClose}
      title={
        <>
          Role of <bdi>{user?.email}</bdi>
        </>
      }
    >
      {user !== undefined && <Change user={user} onClose={onClose} />}
    </Modal>
  );
}

function Change({ user, onClose }: { readonly user: RoleHolder; readonly onClose: () => void }): ReactNode {
  const [role, setRole] = useState(user.role);
  const { run, isRunning, why } = useSubmit();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void run(async () => {
      const params = { path: { id: user.id } };
      await withConfirmedPassword(() =>
        answerOf(api.POST('/dashboard/api/users/{id}/role', { params, body: { role } })),
      );
      onClose();
    });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <RoleChoice value={role} onChange={setRole} />
        <Refused why={why} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={isRunning} disabled={role === user.role}>
            Change role
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
