// The page of a one-time link. The user sets a password and is signed in; the first owner enters an e-mail address and
// the name of the shop as well.
import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { answerOf, api } from '../../app/api.ts';
import type { components } from '../../app/api-types.d.ts';
import { enter } from '../../app/session.tsx';
import classes from './gate.module.css';
import { Gate, Refused } from './gate.tsx';
import { passwordFault } from './password-fault.ts';
import { useSubmit } from './sign-in-page.tsx';

export interface WelcomePageProps {
  readonly token: string;
  /** Called when the link was used, or is no longer valid. */
  readonly onDone: () => void;
}

export function WelcomePage({ token, onDone }: WelcomePageProps): ReactNode {
  const { data, error, isPending } = useQuery({
    queryKey: ['welcome'],
    queryFn: () => answerOf(api.POST('/dashboard/api/welcome/look', { body: { welcomeToken: token } })),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  if (isPending) return null;
  if (error !== null)
    return (
      <Gate title="This link does not work" lead={error.message}>
        <div className={classes['form']}>
          <p className={classes['lead']}>
            An owner of the account can create a new link for you. If you are the only owner, run{' '}
            <code>counterfoil users reset</code> on the service’s machine. If no one has signed in yet, restart the
            service: it prints a new link.
          </p>
          <Button variant="default" size="md" onClick={onDone}>
            Go to sign-in
          </Button>
        </div>
      </Gate>
    );
  return <PasswordStep token={token} welcome={data} onDone={onDone} />;
}

interface PasswordStepProps extends WelcomePageProps {
  readonly welcome: components['schemas']['Welcome'];
}

function PasswordStep({ token, welcome, onDone }: PasswordStepProps): ReactNode {
  const { shopName, email: invited, isFirstOwner } = welcome;
  const [name, setName] = useState(shopName ?? '');
  const [email, setEmail] = useState(invited ?? '');
  const [password, setPassword] = useState('');
  const [isTried, setTried] = useState(false);
  const { run, isRunning, why } = useSubmit();
  const wrongEmail = /^\S+@\S+$/.test(email) ? undefined : 'Enter an e-mail address.';
  const wrongPassword = passwordFault(password);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setTried(true);
    if (wrongEmail !== undefined || wrongPassword !== undefined) return;
    void run(async () => {
      const body = {
        welcomeToken: token,
        password,
        ...(invited === undefined && { email }),
        ...(isFirstOwner && name.trim() !== '' && { shopName: name.trim() }),
      };
      const user = await answerOf(api.POST('/dashboard/api/welcome', { body }));
      enter(user);
      onDone();
    });
  };
  const lead = isFirstOwner ? (
    'You are the first user, and become the owner.'
  ) : shopName === undefined ? (
    'You are invited to the dashboard.'
  ) : (
    <>
      You are invited to “<bdi>{shopName}</bdi>”.
    </>
  );
  return (
    <Gate title="Welcome to Counterfoil" lead={lead} foot="You will sign in with this e-mail address and password.">
      <form className={classes['form']} onSubmit={submit} noValidate>
        {isFirstOwner && (
          <TextInput
            label="Name of your shop"
            description="Customers see it on payment links and on the bank’s page. You can change it later."
            name="organization"
            autoComplete="organization"
            value={name}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
            maxLength={255}
            size="md"
            autoFocus
          />
        )}
        <TextInput
          label="E-mail"
          type="email"
          name="email"
          autoComplete="username"
          required
          withAsterisk={false}
          readOnly={invited !== undefined}
          value={email}
          error={isTried && wrongEmail}
          onChange={({ currentTarget }) => setEmail(currentTarget.value)}
          size="md"
        />
        <PasswordInput
          label="Password"
          description="At least 12 characters. A few words work well."
          name="new-password"
          autoComplete="new-password"
          required
          withAsterisk={false}
          value={password}
          error={isTried && wrongPassword}
          onChange={({ currentTarget }) => setPassword(currentTarget.value)}
          size="md"
          autoFocus={!isFirstOwner}
        />
        <Refused why={why} />
        <Button type="submit" size="md" fullWidth loading={isRunning}>
          Set password and sign in
        </Button>
      </form>
    </Gate>
  );
}
