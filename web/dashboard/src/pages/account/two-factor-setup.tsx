// Setting up two-factor sign-in: scan, prove it by a code, keep the recovery codes.
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { answerOf, api } from '../../app/api.ts';
import { withConfirmedPassword } from '../../app/confirm-password.tsx';
import { CopyText } from '../../parts/copy.tsx';
import { QrCode } from '../../parts/qr-code.tsx';
import { Failed, Loading } from '../../parts/states.tsx';
import classes from '../sign-in/gate.module.css';
import { Refused } from '../sign-in/gate.tsx';
import { useSubmit } from '../sign-in/sign-in-page.tsx';

export function TwoFactorSetup({ onDone }: { readonly onDone: () => void }): ReactNode {
  const { data, error, refetch } = useQuery({
    queryKey: ['two-factor-offer'],
    queryFn: () =>
      withConfirmedPassword(() => answerOf(api.POST('/dashboard/api/account/two-factor/offer', { body: {} }))),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const [codes, setCodes] = useState<readonly string[]>();
  if (codes !== undefined) return <RecoveryCodes codes={codes} onDone={onDone} />;
  if (error !== null) return <Failed isByHand fault={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading height={420} />;
  return <Scan {...data} onCodes={setCodes} />;
}

interface ScanProps {
  readonly secret: string;
  readonly uri: string;
  readonly offer: string;
  readonly onCodes: (codes: readonly string[]) => void;
}

function Scan({ secret, uri, offer, onCodes }: ScanProps): ReactNode {
  const [code, setCode] = useState('');
  const { run, isRunning, why } = useSubmit();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void run(async () => {
      const set = () => answerOf(api.POST('/dashboard/api/account/two-factor', { body: { offer, code } }));
      onCodes((await withConfirmedPassword(set)).recoveryCodes);
    });
  };
  return (
    <form className={classes['form']} onSubmit={submit}>
      <Text>Scan this with an authenticator app, such as 1Password, Aegis or Google Authenticator.</Text>
      <QrCode className={classes['qr']} text={uri} label="QR code of the key" />
      <div className={classes['secret']}>
        Or enter the key: <CopyText text={secret} />
      </div>
      <TextInput
        className={classes['code'] ?? ''}
        label="Code from the app"
        name="code"
        autoComplete="one-time-code"
        inputMode="numeric"
        required
        withAsterisk={false}
        maxLength={7}
        value={code}
        onChange={({ currentTarget }) => setCode(currentTarget.value)}
        size="md"
      />
      <Refused why={why} />
      <Button type="submit" size="md" fullWidth loading={isRunning}>
        Turn on
      </Button>
    </form>
  );
}

function RecoveryCodes({
  codes,
  onDone,
}: {
  readonly codes: readonly string[];
  readonly onDone: () => void;
}): ReactNode {
  const { copy, copied } = useClipboard();
  return (
    <Stack gap="md" mt="lg">
      <Text>
        Two-factor sign-in is on. Keep these recovery codes somewhere you can reach without your phone. Each works once.
        They are not shown again.
      </Text>
      <ul className={classes['codes']}>
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <Group justify="space-between">
        <Button variant="default" onClick={() => copy(codes.join('\n'))}>
          {copied ? 'Copied' : 'Copy all'}
        </Button>
        <Button onClick={onDone} data-autofocus>
          I have saved them
        </Button>
      </Group>
    </Stack>
  );
}
