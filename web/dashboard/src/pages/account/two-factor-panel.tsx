// Two-factor sign-in: whether it is on, and turning it on, to another app, or off.
import { Button, Group, Modal } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api } from '../../app/api.ts';
import { withConfirmedPassword } from '../../app/confirm-password.tsx';
import { ConfirmDialog } from '../../parts/confirm.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import classes from './account.module.css';
import { ACCOUNT_KEY } from './account-key.ts';
import { Panel } from './panel.tsx';
import { TwoFactorSetup } from './two-factor-setup.tsx';

interface TwoFactorPanelProps {
  readonly isOn: boolean;
  readonly mustBeOn: boolean;
  readonly recoveryCodesLeft: number;
}

type Open = 'setup' | 'removal' | undefined;

export function TwoFactorPanel({ isOn, mustBeOn, recoveryCodesLeft }: TwoFactorPanelProps): ReactNode {
  const queries = useQueryClient();
  const [open, setOpen] = useState<Open>();
  const close = (): void => {
    setOpen(undefined);
    void queries.invalidateQueries({ queryKey: ACCOUNT_KEY });
  };
  const remove = async (): Promise<void> => {
    await withConfirmedPassword(() => api.DELETE('/dashboard/api/account/two-factor', { body: {} }));
  };
  return (
    <Panel
      title="Two-factor sign-in"
      lead="Sign in with a code from an authenticator app as well as your password, so a stolen password is not enough."
    >
      <div className={classes['state']}>
        <StatusBadge status={isOn ? 'on' : 'off'} tone={isOn ? 'good' : 'quiet'} />
        <span className={classes['words']}>
          {isOn ? `You have ${recoveryCodesLeft} recovery codes left.` : 'You sign in with your password only.'}
        </span>
        <Group gap="xs">
          <Button variant="default" onClick={() => setOpen('setup')}>
            {isOn ? 'Set up another app' : 'Turn on'}
          </Button>
          {isOn && !mustBeOn && (
            <Button variant="subtle" color="gray" onClick={() => setOpen('removal')}>
              Turn off
            </Button>
          )}
        </Group>
      </div>
      <Modal opened={open === 'setup'} onClose={close} title="Set up two-factor sign-in">
        <TwoFactorSetup onDone={close} />
      </Modal>
      <ConfirmDialog
        isOpen={open === 'removal'}
        onClose={close}
        title="Turn off two-factor sign-in?"
        confirm="Turn off"
        isDangerous
        onConfirm={remove}
      >
        You will sign in with your password only. Your recovery codes stop working.
      </ConfirmDialog>
    </Panel>
  );
}
