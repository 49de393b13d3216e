// The dialog that creates an incoming URL for a processor and an API key, then shows the URL once.
import { Alert, Button, Group, Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { requestKey } from '../../../app/request-key.ts';
import { useRunning } from '../../../app/use-running.ts';
import { CopiedText } from '../../../parts/copied-text.tsx';
import { FaultLine } from '../../../parts/fault-line.tsx';
import { MadeOnce } from '../../../parts/made-once.tsx';
import { keysQuery } from '../keys/api-keys.ts';
import { type IncomingMade, makeIncoming } from './incoming-queries.ts';
import classes from './webhooks.module.css';

interface MakeIncomingProps {
  readonly processors: readonly string[];
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function MakeIncoming({ processors, isOpen, onClose }: MakeIncomingProps): ReactNode {
  return (
    <MadeOnce<IncomingMade>
      isOpen={isOpen}
      onClose={onClose}
      title={(made) => (made === undefined ? 'Create incoming URL' : 'Incoming URL')}
      size={640}
      form={(close, onMade) => <Form processors={processors} onClose={close} onMade={onMade} />}
      secret={(made, close) => <MadeUrl made={made} onClose={close} />}
    />
  );
}

function MadeUrl({
  made: { incoming, path },
  onClose,
}: {
  readonly made: IncomingMade;
  readonly onClose: () => void;
}): ReactNode {
  return (
    <Stack gap="md">
      <Alert
        color="yellow"
        variant="light"
        classNames={{ root: classes['once'] ?? '', message: classes['onceText'] ?? '' }}
      >
        Copy the URL to the settings of {incoming.processor} now. You cannot see it again, and anyone who has it can
        send notifications.
      </Alert>
      <CopiedText label="incoming URL" text={`${location.origin}${path}`} />
      <Group justify="flex-end">
        <Button onClick={onClose}>I have saved it</Button>
      </Group>
    </Stack>
  );
}

const SCOPE = 'third_party:webhook_trigger';

interface FormProps {
  readonly processors: readonly string[];
  readonly onClose: () => void;
  readonly onMade: (made: IncomingMade) => void;
}

function Form({ processors, onClose, onMade }: FormProps): ReactNode {
  const [request] = useState(() => requestKey('make-incoming'));
  const [chosen, setProcessor] = useState<string | null>(null);
  const processor = chosen ?? (processors.length === 1 ? (processors[0] ?? null) : null);
  const [keyId, setKeyId] = useState<string | null>(null);
  const keys = useQuery(keysQuery);
  const fitting = keys.data?.data.filter(
    ({ state, purpose, scopes }) => state === 'active' && purpose !== 'sandbox' && scopes.includes(SCOPE),
  );
  const { isRunning, fault, run } = useRunning(async () => {
    if (processor !== null && keyId !== null) onMade(await makeIncoming({ processor, keyId }, request));
  });
  return (
    <form onSubmit={run}>
      <Stack gap="md">
        <Text>
          This URL acts as an API key: requests to it are treated as sent with that key. Revoking the key disables the
          URL.
        </Text>
        <Select
          label="Processor"
          description="The processor that will use this URL"
          data={[...processors]}
          value={processor}
          onChange={setProcessor}
          allowDeselect={false}
        />
        <Select
          label="API key"
          description={
            <>
              A key with the scope <code>{SCOPE}</code>, preferably with no other scope
            </>
          }
          placeholder={fitting?.length === 0 ? 'No active key has this scope. Create one first.' : 'Choose a key'}
          data={fitting?.map(({ id, name, prefix }) => ({ value: id, label: `${name} (${prefix}…)` })) ?? []}
          value={keyId}
          onChange={setKeyId}
          allowDeselect={false}
          disabled={fitting === undefined || fitting.length === 0}
          data-autofocus
        />
        <FaultLine fault={keys.error ?? fault} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={isRunning} disabled={processor === null || keyId === null}>
            Create URL
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
