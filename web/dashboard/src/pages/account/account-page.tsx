// "Your account": the password, two-factor sign-in, and the browsers in which the user is signed in.
import { Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { answerOf, api } from '../../app/api.ts';
import { useSingleKeys } from '../../app/keyboard-switch.ts';
import { useUser } from '../../app/session.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { Failed, Loading } from '../../parts/states.tsx';
import classes from './account.module.css';
import { ACCOUNT_KEY } from './account-key.ts';
import { Panel } from './panel.tsx';
import { PasswordPanel } from './password-panel.tsx';
import { SessionsPanel } from './sessions-panel.tsx';
import { TwoFactorPanel } from './two-factor-panel.tsx';

export function AccountPage(): ReactNode {
  const { email, role } = useUser();
  const { data, error, refetch } = useQuery({
    queryKey: ACCOUNT_KEY,
    queryFn: ({ signal }) => answerOf(api.GET('/dashboard/api/me/security', { signal })),
  });
  return (
    <PageFrame title="Your account" lead={`${email}, ${role}`}>
      {error !== null && data === undefined && <Failed fault={error} onRetry={() => void refetch()} />}
      {error === null && data === undefined && <Loading height={480} />}
      {data !== undefined && (
        <div className={classes['panels']}>
          <PasswordPanel email={email} />
          <TwoFactorPanel {...data.twoFactor} />
          <KeyboardPanel />
          <SessionsPanel sessions={data.sessions} />
        </div>
      )}
    </PageFrame>
  );
}

/** The switch for single-key shortcuts in this browser. */
function KeyboardPanel(): ReactNode {
  const [areOn, set] = useSingleKeys();
  return (
    <Panel
      title="Keyboard"
      lead="Keys such as / to search, and j and k to move through a list. This browser remembers your choice."
    >
      <Switch
        label="Single-key shortcuts"
        checked={areOn}
        onChange={({ currentTarget }) => set(currentTarget.checked)}
      />
    </Panel>
  );
}
