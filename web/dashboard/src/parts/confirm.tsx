// A question before an action that cannot be undone. For the gravest, the user has to type a name.
import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { FaultLine } from './fault-line.tsx';

interface ConfirmDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly title: ReactNode;
  /** What happens. */
  readonly children: ReactNode;
  /** The button's word: a verb. */
  readonly confirm: string;
  /** Red, for what ends or deletes. */
  readonly isDangerous?: boolean;
  /** A text that has to be typed first. */
  readonly typed?: string;
  /** Runs; the dialog closes when it is through, and shows why it failed. */
  readonly onConfirm: () => Promise<unknown>;
}

export function ConfirmDialog(props: ConfirmDialogProps): ReactNode {
  const { isOpen, onClose, title } = props;
  return (
    <Modal opened={isOpen} onClose={onClose} title={title}>
      <Question {...props} />
    </Modal>
  );
}

function Question({
  onClose,
  children,
  confirm,
  isDangerous = false,
  typed,
  onConfirm,
}: ConfirmDialogProps): ReactNode {
  const [text, setText] = useState('');
  const [isRunning, setRunning] = useState(false);
  const [fault, setFault] = useState<Error>();
  const run = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setRunning(true);
    setFault(undefined);
    try {
      await onConfirm();
      onClose();
    } catch (thrown) {
      setFault(thrown instanceof Error ? thrown : new Error(String(thrown)));
    } finally {
      setRunning(false);
    }
  };
  return (
    <form onSubmit={(event) => void run(event)}>
      <Stack gap="md">
        <div>{children}</div>
        {typed !== undefined && (
          <TextInput
            label={
              <>
                Type “<bdi>{typed}</bdi>” to confirm
              </>
            }
            value={text}
            onChange={({ currentTarget }) => setText(currentTarget.value)}
            autoComplete="off"
            spellCheck={false}
            data-autofocus
          />
        )}
        <FaultLine fault={fault} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            type="submit"
            color={isDangerous ? 'red' : 'accent'}
            loading={isRunning}
            disabled={typed !== undefined && text !== typed}
            {...(typed === undefined && { 'data-autofocus': true })}
          >
            {confirm}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
