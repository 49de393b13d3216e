// The dialogs that change the references of a connection and disable it.
import { Checkbox, Modal, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { requestKey } from '../../../app/request-key.ts';
import { useRunning } from '../../../app/use-running.ts';
import { ConfirmDialog } from '../../../parts/confirm.tsx';
import { FormEnd } from '../../../parts/form-end.tsx';
import { type Connection, disableConnection, rotateConnection } from './connection-queries.ts';
import { given, PublishableKeyInput, ReferenceInput } from './reference-input.tsx';
import { ReferenceWatch } from './reference-watch.tsx';

export type ConnectionChange = 'rotate' | 'disable';

interface ChangeProps {
  readonly connection: Connection;
  readonly onClose: () => void;
}

export function ChangeConnection({ change, ...props }: ChangeProps & { readonly change: ConnectionChange }): ReactNode {
  switch (change) {
    case 'rotate':
      return <Rotate {...props} />;
    case 'disable':
      return <Disable {...props} />;
    default:
      return change satisfies never;
  }
}

function Rotate({ connection: { id, processor, secrets }, onClose }: ChangeProps): ReactNode {
  const [key] = useState(() => requestKey('rotate-connection'));
  const [secretKey, setSecretKey] = useState('');
  const [webhookSecret, setWebhookSecret] = useState('');
  const [publishableKey, setPublishableKey] = useState('');
  const [isDropped, setDropped] = useState(false);
  const texts = given({ secretKey, webhookSecret, publishableKey });
  const references = { ...texts, ...(isDropped && ({ dropPrevious: true } as const)) };
  const { isRunning, fault, run } = useRunning(async () => {
    await rotateConnection(id, references, key);
    onClose();
  });
  const current = (name: string): string => secrets.find((one) => one.name === name)?.reference ?? 'env:NAME';
  return (
    <Modal opened onClose={onClose} title="Change references" size={640}>
      <form onSubmit={run}>
        <Stack gap="md">
          <Text>
            An empty field keeps its reference. After a new webhook secret, notifications that are signed by the
            previous secret are accepted for 24 hours.
          </Text>
          <ReferenceInput
            label="Secret API key"
            placeholder={current('secretKey')}
            value={secretKey}
            onChange={setSecretKey}
          />
          <ReferenceWatch processor={processor} what="secretKey" reference={secretKey} />
          <ReferenceInput
            label="Webhook secret"
            placeholder={current('webhookSecret')}
            value={webhookSecret}
            onChange={setWebhookSecret}
          />
          <ReferenceWatch processor={processor} what="webhookSecret" reference={webhookSecret} />
          <PublishableKeyInput value={publishableKey} onChange={setPublishableKey} />
          {secrets.some(({ name }) => name === 'previousWebhookSecret') && (
            <Checkbox
              label="Refuse notifications signed by the previous webhook secret from now on"
              checked={isDropped}
              onChange={({ currentTarget }) => setDropped(currentTarget.checked)}
            />
          )}
          <FormEnd
            fault={fault}
            submit="Change references"
            isRunning={isRunning}
            isIncomplete={Object.keys(references).length === 0}
            onCancel={onClose}
          />
        </Stack>
      </form>
    </Modal>
  );
}

const Disable = ({ connection: { id, name }, onClose }: ChangeProps): ReactNode => (
  <ConfirmDialog
    isOpen
    onClose={onClose}
    title="Disable this account?"
    confirm="Disable account"
    isDangerous
    typed={name}
    onConfirm={() => disableConnection(id)}
  >
    No new payment will use “<bdi>{name}</bdi>”. You can still capture, refund and cancel its payments. You cannot
    re-enable a disabled account; connect it again instead.
  </ConfirmDialog>
);
