// The form that changes the password. Every other session ends with the change.
import { Button, PasswordInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { api } from '../../app/api.ts';
import { Refused } from '../sign-in/gate.tsx';
import { passwordFault } from '../sign-in/password-fault.ts';
import { useSubmit } from '../sign-in/sign-in-page.tsx';
import classes from './account.module.css';
import { ACCOUNT_KEY } from './account-key.ts';
import { Panel } from './panel.tsx';

export function PasswordPanel({ email }: { readonly email: string }): ReactNode {
  const queries = useQueryClient();
  const [password, setPassword] = useState('');
  const [newPassword, setNewPassword] = useState('');
  const [isDone, setDone] = useState(false);
  const [isTried, setTried] = useState(false);
  const { run, isRunning, why } = useSubmit();
  const wrong = passwordFault(newPassword);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setDone(false);
    setTried(true);
    if (wrong !== undefined) return;
    void run(async () => {
      await api.POST('/dashboard/api/account/password', { body: { password, newPassword } });
      setPassword('');
      setNewPassword('');
      setDone(true);
      setTried(false);
      await queries.invalidateQueries({ queryKey: ACCOUNT_KEY });
    });
  };
  return (
    <Panel title="Password" lead="At least 12 characters. A few words that you can remember work well.">
      <form className={classes['form']} onSubmit={submit} noValidate>
        <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
        <PasswordInput
          label="Current password"
          name="password"
          autoComplete="current-password"
          required
          withAsterisk={false}
          value={password}
          onChange={({ currentTarget }) => setPassword(currentTarget.value)}
        />
        <PasswordInput
          label="New password"
          name="new-password"
          autoComplete="new-password"
          required
          withAsterisk={false}
          value={newPassword}
          error={isTried && wrong}
          onChange={({ currentTarget }) => setNewPassword(currentTarget.value)}
        />
        <Refused why={why} />
        <Button type="submit" variant="default" loading={isRunning} disabled={password === '' || newPassword === ''}>
          Change password
        </Button>
        <div role="status" className={classes['lead']}>
          {isDone && 'Password changed. You are signed out everywhere else.'}
        </div>
      </form>
    </Panel>
  );
}
