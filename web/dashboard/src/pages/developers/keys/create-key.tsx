// The dialog that makes an API key, or for owners a management key: its name, its scopes, its expiry; then the key
// itself, once.
import { Button, Group, SegmentedControl, Select, Stack, Text, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { requestKey } from '../../../app/request-key.ts';
import { useMay } from '../../../app/session.tsx';
import { useRunning } from '../../../app/use-running.ts';
import { FaultLine } from '../../../parts/fault-line.tsx';
import { MadeOnce } from '../../../parts/made-once.tsx';
import { type ApiKeyMade, createKey, createManagementKey, type Scope } from './api-keys.ts';
import classes from './keys.module.css';
import { MadeKey } from './made-key.tsx';
import { ScopePicker } from './scope-picker.tsx';

interface CreateKeyProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

type Kind = 'merchant' | 'management';
/** The kind of key as the dialog's title has it, at the beginning of a sentence and inside one. */
const KINDS = {
  merchant: { title: 'API key', words: 'API key' },
  management: { title: 'Management key', words: 'management key' },
} as const;

export function CreateKey({ isOpen, onClose }: CreateKeyProps): ReactNode {
  const [kind, setKind] = useState<Kind>('merchant');
  return (
    <MadeOnce<ApiKeyMade>
      isOpen={isOpen}
      onClose={() => {
        setKind('merchant');
        onClose();
      }}
      title={(made) =>
        made === undefined ? (
          `Create ${KINDS[kind].words}`
        ) : (
          <>
            {KINDS[kind].title} “<bdi>{made.apiKey.name}</bdi>”
          </>
        )
      }
      size={720}
      form={(close, onMade) => <Form kind={kind} onKind={setKind} onClose={close} onMade={onMade} />}
      secret={(made, close) => <MadeKey made={made} onClose={close} />}
    />
  );
}

const DAY_MS = 86_400_000;
const EXPIRIES = [
  { value: '0', label: 'Never' },
  { value: String(7 * DAY_MS), label: 'In 7 days' },
  { value: String(30 * DAY_MS), label: 'In 30 days' },
  { value: String(90 * DAY_MS), label: 'In 90 days' },
  { value: String(365 * DAY_MS), label: 'In a year' },
];

interface FormProps {
  readonly kind: Kind;
  readonly onKind: (kind: Kind) => void;
  readonly onClose: () => void;
  readonly onMade: (made: ApiKeyMade) => void;
}

function Form({ kind, onKind, onClose, onMade }: FormProps): ReactNode {
  const [key] = useState(() => requestKey('create-key'));
  const isOwner = useMay('owner');
  const isManagement = kind === 'management';
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<ReadonlySet<Scope>>(new Set());
  const [expiry, setExpiry] = useState('0');
  const { isRunning, fault, run } = useRunning(async () => {
    const expiresInMs = Number(expiry);
    const made = { name: name.trim(), ...(expiresInMs > 0 && { expiresInMs }) };
    onMade(
      await (isManagement
        ? createManagementKey({ ...made, grants: [...scopes] }, key)
        : createKey({ ...made, scopes: [...scopes] }, key)),
    );
  });
  return (
    <form onSubmit={run}>
      <Stack gap="md">
        {isOwner && (
          <SegmentedControl
            aria-label="Kind of key"
            value={kind}
            onChange={(value) => onKind(value === 'management' ? value : 'merchant')}
            data={[
              { value: 'merchant', label: 'API key' },
              { value: 'management', label: 'Management key' },
            ]}
          />
        )}
        {isManagement && (
          <Text c="dimmed">
            A management key manages API keys, webhook endpoints and users by program. It opens no payment. It gives
            keys and users at most what you choose here.
          </Text>
        )}
        <div className={classes['line']}>
          <TextInput
            label="Name"
            placeholder={isManagement ? 'Terraform' : 'Shop backend'}
            value={name}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
            maxLength={255}
            autoComplete="off"
            data-autofocus
          />
          <Select label="Expires" data={EXPIRIES} value={expiry} onChange={(value) => setExpiry(value ?? '0')} />
        </div>
        <ScopePicker legend={isManagement ? 'May grant' : 'Scopes'} chosen={scopes} onChange={setScopes} />
        <FaultLine fault={fault} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            type="submit"
            loading={isRunning}
            disabled={name.trim() === '' || (scopes.size === 0 && !isManagement)}
          >
            Create key
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
