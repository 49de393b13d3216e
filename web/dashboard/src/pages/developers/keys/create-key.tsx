// The dialog that makes an API key: its name, its scopes, its expiry; then the key itself, once.
import { Button, Group, Select, Stack, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { requestKey } from '../../../app/request-key.ts';
import { useRunning } from '../../../app/use-running.ts';
import { FaultLine } from '../../../parts/fault-line.tsx';
import { MadeOnce } from '../../../parts/made-once.tsx';
import { type ApiKeyMade, createKey, type Scope } from './api-keys.ts';
import classes from './keys.module.css';
import { MadeKey } from './made-key.tsx';
import { ScopePicker } from './scope-picker.tsx';

interface CreateKeyProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function CreateKey({ isOpen, onClose }: CreateKeyProps): ReactNode {
  return (
    <MadeOnce<ApiKeyMade>
      isOpen={isOpen}
      onClose={onClose}
      title={(made) =>
        made === undefined ? (
          'Create API key'
        ) : (
          <>
            API key “<bdi>{made.apiKey.name}</bdi>”
          </>
        )
      }
      size={720}
      form={(close, onMade) => <Form onClose={close} onMade={onMade} />}
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

function Form({
  onClose,
  onMade,
}: {
  readonly onClose: () => void;
  readonly onMade: (made: ApiKeyMade) => void;
}): ReactNode {
  const [key] = useState(() => requestKey('create-key'));
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<ReadonlySet<Scope>>(new Set());
  const [expiry, setExpiry] = useState('0');
  const { isRunning, fault, run } = useRunning(async () => {
    const expiresInMs = Number(expiry);
    onMade(await createKey({ name: name.trim(), scopes: [...scopes], ...(expiresInMs > 0 && { expiresInMs }) }, key));
  });
  return (
    <form onSubmit={run}>
      <Stack gap="md">
        <div className={classes['line']}>
          <TextInput
            label="Name"
            placeholder="Shop backend"
            value={name}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
            maxLength={255}
            autoComplete="off"
            data-autofocus
          />
          <Select label="Expires" data={EXPIRIES} value={expiry} onChange={(value) => setExpiry(value ?? '0')} />
        </div>
        <ScopePicker chosen={scopes} onChange={setScopes} />
        <FaultLine fault={fault} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={isRunning} disabled={name.trim() === '' || scopes.size === 0}>
            Create key
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
