// The end of a form in a dialog: why the last attempt failed, and the two buttons.
import { Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { FaultLine } from './fault-line.tsx';

interface FormEndProps {
  readonly fault: Error | null | undefined;
  /** The words of the button that submits the form. */
  readonly submit: string;
  readonly isRunning: boolean;
  /** True while the fields cannot be submitted. */
  readonly isIncomplete?: boolean;
  readonly onCancel: () => void;
}

export const FormEnd = ({ fault, submit, isRunning, isIncomplete = false, onCancel }: FormEndProps): ReactNode => (
  <>
    <FaultLine fault={fault} />
    <Group justify="flex-end" gap="xs">
      <Button variant="default" onClick={onCancel}>
        Cancel
      </Button>
      <Button type="submit" loading={isRunning} disabled={isIncomplete}>
        {submit}
      </Button>
    </Group>
  </>
);
