// The dialog that connects an account at a processor: references to its secrets, then the URL for its notifications,
// shown once.
import { Alert, Button, Group, SegmentedControl, Select, Stack, Text, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { requestKey } from '../../../app/request-key.ts';
import { useUser } from '../../../app/session.tsx';
import { useRunning } from '../../../app/use-running.ts';
import { CopiedText } from '../../../parts/copied-text.tsx';
import { FaultLine } from '../../../parts/fault-line.tsx';
import { MadeOnce } from '../../../parts/made-once.tsx';
import { addConnection, type ConnectionMade } from './connection-queries.ts';
import classes from './connections.module.css';
import {
  given,
  PublishableKeyInput,
  ReferenceInput,
  type SecretPlace,
  suggestedReference,
} from './reference-input.tsx';
import { ReferenceWatch } from './reference-watch.tsx';

interface AddConnectionProps {
  readonly processors: readonly string[];
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export const AddConnection = ({ processors, isOpen, onClose }: AddConnectionProps): ReactNode => (
  <MadeOnce<ConnectionMade>
    isOpen={isOpen}
    onClose={onClose}
    title={(made) => (made === undefined ? 'Connect an account' : 'URL for notifications')}
    size={640}
    form={(close, onMade) => <Form processors={processors} onClose={close} onMade={onMade} />}
    secret={(made, close) => <MadeUrl made={made} onClose={close} />}
  />
);

function MadeUrl({
  made: { connection, path },
  onClose,
}: {
  readonly made: ConnectionMade;
  readonly onClose: () => void;
}): ReactNode {
  const { processor, secrets } = connection;
  return (
    <Stack gap="md">
      <Alert
        color="yellow"
        variant="light"
        classNames={{ root: classes['once'] ?? '', message: classes['onceText'] ?? '' }}
      >
        Copy the URL to the settings of {processor} now. You cannot see it again.
      </Alert>
      <CopiedText label="URL for notifications" text={`${location.origin}${path}`} />
      {secrets.every(({ name }) => name !== 'webhookSecret') && (
        <Text>
          Notifications are refused until you name their secret: store the secret that {processor} shows for this URL,
          then choose Change references on the page of this account.
        </Text>
      )}
      <Group justify="flex-end">
        <Button onClick={onClose}>I have saved it</Button>
      </Group>
    </Stack>
  );
}

interface FormProps {
  readonly processors: readonly string[];
  readonly onClose: () => void;
  readonly onMade: (made: ConnectionMade) => void;
}

function Form({ processors, onClose, onMade }: FormProps): ReactNode {
  const { mode, role } = useUser();
  const [key] = useState(() => requestKey('add-connection'));
  const [chosen, setProcessor] = useState<string | null>(null);
  const processor = chosen ?? processors[0] ?? '';
  const isSandbox = processor === 'sandbox';
  const [name, setName] = useState('');
  const [place, setPlace] = useState<SecretPlace>('env');
  const [typedKey, setTypedKey] = useState<string>();
  const secretKey = typedKey ?? suggestedReference(place, processor, name);
  const [webhookSecret, setWebhookSecret] = useState('');
  const [publishableKey, setPublishableKey] = useState('');
  const [apiUrl, setApiUrl] = useState('');
  const { isRunning, fault, run } = useRunning(async () => {
    const named = { processor, name: name.trim() };
    const secrets = isSandbox ? {} : given({ secretKey, webhookSecret, publishableKey, apiUrl });
    const made = await addConnection({ ...named, ...secrets }, key);
    if (isSandbox) onClose();
    else onMade(made);
  });
  return (
    <form onSubmit={run}>
      <Stack gap="md">
        {isSandbox ? (
          <Text>
            A further sandbox has a ledger and faults of its own. It takes the payments that rules of routing send to
            it.
          </Text>
        ) : (
          <Text>
            Enter where the service finds each secret, never the secret itself: <code>env:NAME</code> for a variable, or{' '}
            <code>file:PATH</code>. The page says what to set, and watches it.
          </Text>
        )}
        <div className={classes['pair']}>
          <Select
            label="Processor"
            data={[...processors]}
            value={processor === '' ? null : processor}
            onChange={setProcessor}
            allowDeselect={false}
          />
          <TextInput
            label="Name"
            placeholder="eu"
            value={name}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
            maxLength={64}
            autoComplete="off"
            spellCheck={false}
            data-autofocus
          />
        </div>
        {!isSandbox && (
          <>
            <SegmentedControl
              aria-label="Where the secret is"
              value={place}
              onChange={(value) => {
                setPlace(value === 'file' ? 'file' : 'env');
                setTypedKey(undefined);
              }}
              data={[
                { value: 'env', label: 'In a variable' },
                { value: 'file', label: 'In a file' },
              ]}
              w="fit-content"
            />
            <ReferenceInput
              label="Secret API key"
              placeholder="env:STRIPE_KEY"
              value={secretKey}
              onChange={setTypedKey}
            />
            <ReferenceWatch processor={processor} what="secretKey" reference={secretKey} />
            <ReferenceInput
              label="Webhook secret"
              description="Optional: you may get it only with the URL for notifications"
              placeholder="env:STRIPE_WEBHOOK"
              value={webhookSecret}
              onChange={setWebhookSecret}
            />
            <ReferenceWatch processor={processor} what="webhookSecret" reference={webhookSecret} />
            <PublishableKeyInput value={publishableKey} onChange={setPublishableKey} />
            {mode === 'test' && role === 'owner' && (
              <TextInput
                label="Server"
                description="Optional: another server that speaks the processor’s API. It is sent the secret key"
                placeholder="https://stripe.example"
                value={apiUrl}
                onChange={({ currentTarget }) => setApiUrl(currentTarget.value)}
                maxLength={1_024}
                inputMode="url"
                autoComplete="off"
                spellCheck={false}
              />
            )}
          </>
        )}
        <FaultLine fault={fault} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            type="submit"
            loading={isRunning}
            disabled={processor === '' || name.trim() === '' || (!isSandbox && secretKey.trim() === '')}
          >
            Connect
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
