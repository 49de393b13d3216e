// Sign-in by e-mail and password, then the choice of an account if there are several, then a code if the user has set
// up two-factor sign-in.
import { Anchor, Button, PasswordInput, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { answerOf, api } from '../../app/api.ts';
import { enter } from '../../app/session.tsx';
import { type AccountChoice, AccountStep } from './account-step.tsx';
import classes from './gate.module.css';
import { Gate, Refused } from './gate.tsx';

/** `#/account/acc_…` in the address: the page signs in to this account alone. */
const namedAccount = (): string | undefined => /^#\/account\/(acc_\w+)$/.exec(location.hash)?.[1];

export function SignInPage(): ReactNode {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [asksCode, setAsksCode] = useState(false);
  const [choices, setChoices] = useState<readonly AccountChoice[]>([]);
  const [chosen, setChosen] = useState<string>();
  const { run, isRunning, why } = useSubmit();
  const signIn = (more: { readonly accountId?: string; readonly code?: string; readonly recoveryCode?: string }) =>
    run(async () => {
      const accountId = more.accountId ?? chosen ?? namedAccount();
      const body = { email, password, ...more, ...(accountId !== undefined && { accountId }) };
      const { user, needs, accounts = [] } = await answerOf(api.POST('/dashboard/api/sign-in', { body }));
      if (user !== undefined) return enter(user);
      setChosen(accountId);
      setChoices(accounts);
      setAsksCode(needs === 'code');
    });
  const back = (): void => {
    setAsksCode(false);
    setChoices([]);
    setChosen(undefined);
  };
  if (asksCode) return <CodeStep onCode={signIn} onBack={back} isRunning={isRunning} why={why} />;
  if (choices.length > 0) {
    const choose = (chosen: string) => signIn({ accountId: chosen });
    return <AccountStep accounts={choices} onChoice={choose} onBack={back} isRunning={isRunning} why={why} />;
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void signIn({});
  };
  return (
    <Gate title="Sign in" foot={<LostAccess />}>
      <form className={classes['form']} onSubmit={submit}>
        <TextInput
          label="E-mail"
          type="email"
          name="email"
          autoComplete="username"
          required
          withAsterisk={false}
          value={email}
          onChange={({ currentTarget }) => setEmail(currentTarget.value)}
          size="md"
          autoFocus
        />
        <PasswordInput
          label="Password"
          name="password"
          autoComplete="current-password"
          required
          withAsterisk={false}
          value={password}
          onChange={({ currentTarget }) => setPassword(currentTarget.value)}
          size="md"
        />
        <Refused why={why} />
        <Button type="submit" size="md" fullWidth loading={isRunning}>
          Sign in
        </Button>
      </form>
    </Gate>
  );
}

const LostAccess = (): ReactNode => (
  <>
    No password, or lost access? Another owner of the account can create a new link for you. If you are the only owner,
    run <code>counterfoil users reset</code> on the service’s machine.
  </>
);

interface CodeStepProps {
  readonly onCode: (given: { readonly code: string } | { readonly recoveryCode: string }) => Promise<void>;
  readonly onBack: () => void;
  readonly isRunning: boolean;
  readonly why: string | undefined;
}

function CodeStep({ onCode, onBack, isRunning, why }: CodeStepProps): ReactNode {
  const [code, setCode] = useState('');
  const [isRecovery, setRecovery] = useState(false);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void onCode(isRecovery ? { recoveryCode: code } : { code });
  };
  const change = (): void => {
    setRecovery(!isRecovery);
    setCode('');
  };
  return (
    <Gate
      title="Two-factor sign-in"
      lead={
        isRecovery
          ? 'Enter one of your recovery codes. Each works once.'
          : 'Enter the six digits from your authenticator app.'
      }
      foot={
        <Anchor component="button" type="button" size="sm" onClick={onBack}>
          Sign in as another user
        </Anchor>
      }
    >
      <form className={classes['form']} onSubmit={submit}>
        <TextInput
          key={String(isRecovery)}
          className={classes['code'] ?? ''}
          label={isRecovery ? 'Recovery code' : 'Code'}
          name="code"
          autoComplete="one-time-code"
          inputMode={isRecovery ? 'text' : 'numeric'}
          required
          withAsterisk={false}
          maxLength={isRecovery ? 16 : 7}
          value={code}
          onChange={({ currentTarget }) => setCode(currentTarget.value)}
          size="md"
          spellCheck={false}
          autoFocus
        />
        <Refused why={why} />
        <Button type="submit" size="md" fullWidth loading={isRunning}>
          Sign in
        </Button>
        <Anchor component="button" type="button" className={classes['switch'] ?? ''} onClick={change}>
          {isRecovery ? 'Use a code from the app' : 'Use a recovery code'}
        </Anchor>
      </form>
    </Gate>
  );
}

/** A form that is sent: while it runs, and why it was refused. */
export function useSubmit() {
  const [isRunning, setRunning] = useState(false);
  const [why, setWhy] = useState<string>();
  const run = async (work: () => Promise<void>): Promise<void> => {
    setRunning(true);
    setWhy(undefined);
    try {
      await work();
    } catch (thrown) {
      setWhy(thrown instanceof Error ? thrown.message : String(thrown));
    } finally {
      setRunning(false);
    }
  };
  return { run, isRunning, why };
}
