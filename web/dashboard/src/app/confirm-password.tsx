// Asks for the password again where the server requires it: keys, users and manual confirmation of outcomes.
import { Button, Group, Modal, PasswordInput, Stack, Text } from '@mantine/core';
import { type FormEvent, type ReactNode, useState, useSyncExternalStore } from 'react';
import { FaultLine } from '../parts/fault-line.tsx';
import { ApiFault, api } from './api.ts';

/** The open question. There is at most one. */
interface Asked {
  readonly answer: (isGiven: boolean) => void;
}

let asked: Asked | undefined;
const listeners = new Set<() => void>();

function set(next: Asked | undefined): void {
  asked = next;
  for (const tell of listeners) tell();
}

const subscribe = (tell: () => void): (() => void) => {
  listeners.add(tell);
  return () => listeners.delete(tell);
};

const askForPassword = (): Promise<boolean> =>
  new Promise((resolve) => {
    asked?.answer(false);
    set({
      answer: (isGiven) => {
        set(undefined);
        resolve(isGiven);
      },
    });
  });

/**
 * Runs a call. If the server responds with 403 `PasswordNeeded`, the user enters the password and the call runs again.
 * Without the password it fails with the server's refusal.
 */
export async function withConfirmedPassword<Answer>(run: () => Promise<Answer>): Promise<Answer> {
  try {
    return await run();
  } catch (fault) {
    if (!(fault instanceof ApiFault) || fault.errorId !== 'PasswordNeeded') throw fault;
    if (!(await askForPassword())) throw fault;
    return run();
  }
}

/** Rendered once, in the frame. */
export function PasswordQuestion(): ReactNode {
  const current = useSyncExternalStore(subscribe, () => asked);
  return (
    <Modal
      opened={current !== undefined}
      onClose={() => current?.answer(false)}
      title="Confirm your password"
      zIndex={400}
    >
      {current !== undefined && <Question asked={current} />}
    </Modal>
  );
}

function Question({ asked: { answer } }: { readonly asked: Asked }): ReactNode {
  const [password, setPassword] = useState('');
  const [isRunning, setRunning] = useState(false);
  const [fault, setFault] = useState<Error>();
  const give = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setRunning(true);
    setFault(undefined);
    try {
      await api.POST('/dashboard/api/confirm-password', { body: { password } });
      answer(true);
    } catch (thrown) {
      setFault(thrown instanceof Error ? thrown : new Error(String(thrown)));
      setRunning(false);
    }
  };
  return (
    <form onSubmit={(event) => void give(event)}>
      <Stack gap="md">
        <Text>Confirm your password to continue. You won’t be asked again for a few minutes.</Text>
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          value={password}
          onChange={({ currentTarget }) => setPassword(currentTarget.value)}
          data-autofocus
        />
        <FaultLine fault={fault} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={() => answer(false)}>
            Cancel
          </Button>
          <Button type="submit" loading={isRunning} disabled={password === ''}>
            Confirm
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
