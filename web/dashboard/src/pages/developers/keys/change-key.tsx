// The dialogs that change an API key: its scopes, its rotation, its revocation.
import { Modal, Select, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { requestKey } from '../../../app/request-key.ts';
import { useRunning } from '../../../app/use-running.ts';
import { ConfirmDialog } from '../../../parts/confirm.tsx';
import { FormEnd } from '../../../parts/form-end.tsx';
import { type ApiKey, type ApiKeyMade, revokeKey, rotateKey, type Scope, setScopes } from './api-keys.ts';
import { MadeKey } from './made-key.tsx';
import { ScopePicker } from './scope-picker.tsx';

export type KeyChange = 'scopes' | 'rotate' | 'revoke';

interface ChangeProps {
  readonly apiKey: ApiKey;
  readonly onClose: () => void;
}

/** The dialog for a change; none while `change` is undefined. */
export function ChangeKey({ change, apiKey, onClose }: ChangeProps & { readonly change: KeyChange }): ReactNode {
  switch (change) {
    case 'scopes':
      return <EditScopes apiKey={apiKey} onClose={onClose} />;
    case 'rotate':
      return <Rotate apiKey={apiKey} onClose={onClose} />;
    case 'revoke':
      return <Revoke apiKey={apiKey} onClose={onClose} />;
    default:
      return change satisfies never;
  }
}

function EditScopes({ apiKey, onClose }: ChangeProps): ReactNode {
  const [scopes, change] = useState<ReadonlySet<Scope>>(new Set(apiKey.scopes));
  const { isRunning, fault, run } = useRunning(async () => {
    await setScopes(apiKey.id, [...scopes]);
    onClose();
  });
  const isSame = scopes.size === apiKey.scopes.length && apiKey.scopes.every((scope) => scopes.has(scope));
  return (
    <Modal
      opened
      onClose={onClose}
      title={
        <>
          Scopes of “<bdi>{apiKey.name}</bdi>”
        </>
      }
      size={720}
    >
      <form onSubmit={run}>
        <Stack gap="md">
          <ScopePicker chosen={scopes} onChange={change} />
          <Text c="dimmed">The new scopes take effect on the key’s next request.</Text>
          <FormEnd fault={fault} submit="Save scopes" isRunning={isRunning} isIncomplete={isSame} onCancel={onClose} />
        </Stack>
      </form>
    </Modal>
  );
}

const HOUR_MS = 3_600_000;
const OVERLAPS = [
  { value: '0', label: 'No time: it stops now' },
  { value: String(HOUR_MS), label: '1 hour' },
  { value: String(24 * HOUR_MS), label: '24 hours' },
  { value: String(7 * 24 * HOUR_MS), label: '7 days' },
];

function Rotate({ apiKey, onClose }: ChangeProps): ReactNode {
  const [made, setMade] = useState<ApiKeyMade>();
  const [overlap, setOverlap] = useState(String(24 * HOUR_MS));
  const [key] = useState(() => requestKey('rotate-key'));
  const { isRunning, fault, run } = useRunning(async () => setMade(await rotateKey(apiKey, Number(overlap), key)));
  return (
    <Modal
      opened
      onClose={onClose}
      title={
        <>
          Rotate “<bdi>{apiKey.name}</bdi>”
        </>
      }
      size={600}
      closeOnClickOutside={made === undefined}
    >
      {made !== undefined ? (
        <MadeKey made={made} onClose={onClose} />
      ) : (
        <form onSubmit={run}>
          <Stack gap="md">
            <Text>
              You get a new key with the same name, scopes and expiry. Update your backend while the old key still
              works.
            </Text>
            <Select
              label="Keep the old key valid for"
              data={OVERLAPS}
              value={overlap}
              onChange={(value) => setOverlap(value ?? '0')}
              w={220}
            />
            <FormEnd fault={fault} submit="Rotate" isRunning={isRunning} onCancel={onClose} />
          </Stack>
        </form>
      )}
    </Modal>
  );
}

const Revoke = ({ apiKey, onClose }: ChangeProps): ReactNode => (
  <ConfirmDialog
    isOpen
    onClose={onClose}
    title={
      <>
        Revoke “<bdi>{apiKey.name}</bdi>”?
      </>
    }
    confirm="Revoke key"
    isDangerous
    typed={apiKey.name}
    onConfirm={() => revokeKey(apiKey)}
  >
    {apiKey.purpose === 'management'
      ? 'Requests with this key are refused from now on.'
      : 'Requests with this key are refused from now on, and so are notifications to its URLs.'}{' '}
    You cannot restore a revoked key.
  </ConfirmDialog>
);
