// The dialogs that rotate the secret of a webhook endpoint and disable it.
import { Button, Group, Modal, Select, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { requestKey } from '../../../app/request-key.ts';
import { useRunning } from '../../../app/use-running.ts';
import { ConfirmDialog } from '../../../parts/confirm.tsx';
import { FaultLine } from '../../../parts/fault-line.tsx';
import { MadeEndpoint } from './made-endpoint.tsx';
import { disableEndpoint, type EndpointMade, rotateSecret, type WebhookEndpoint } from './webhook-queries.ts';

export type EndpointChange = 'rotate' | 'disable';

interface ChangeProps {
  readonly endpoint: WebhookEndpoint;
  readonly onClose: () => void;
}

export function ChangeEndpoint({ change, ...props }: ChangeProps & { readonly change: EndpointChange }): ReactNode {
  switch (change) {
    case 'rotate':
      return <Rotate {...props} />;
    case 'disable':
      return <Disable {...props} />;
    default:
      return change satisfies never;
  }
}

const HOUR_MS = 3_600_000;
const OVERLAPS = [
  { value: '0', label: 'No time: it stops now' },
  { value: String(HOUR_MS), label: '1 hour' },
  { value: String(24 * HOUR_MS), label: '24 hours' },
  { value: String(7 * 24 * HOUR_MS), label: '7 days' },
];

function Rotate({ endpoint, onClose }: ChangeProps): ReactNode {
  const [made, setMade] = useState<EndpointMade>();
  const [overlap, setOverlap] = useState(String(24 * HOUR_MS));
  const [key] = useState(() => requestKey('rotate-secret'));
  const { isRunning, fault, run } = useRunning(async () =>
    setMade(await rotateSecret(endpoint.id, Number(overlap), key)),
  );
  return (
    <Modal opened onClose={onClose} title="Rotate signing secret" size={640} closeOnClickOutside={made === undefined}>
      {made !== undefined ? (
        <MadeEndpoint made={made} onClose={onClose} />
      ) : (
        <form onSubmit={run}>
          <Stack gap="md">
            <Text>
              The endpoint gets a new secret. While the old secret is valid, each message has both signatures, so you
              can update your backend at any time during the overlap.
            </Text>
            <Select
              label="Keep the old secret valid for"
              data={OVERLAPS}
              value={overlap}
              onChange={(value) => setOverlap(value ?? '0')}
              w={220}
              data-autofocus
            />
            <FaultLine fault={fault} />
            <Group justify="flex-end" gap="xs">
              <Button variant="default" onClick={onClose}>
                Cancel
              </Button>
              <Button type="submit" loading={isRunning}>
                Rotate
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Modal>
  );
}

const Disable = ({ endpoint, onClose }: ChangeProps): ReactNode => (
  <ConfirmDialog
    isOpen
    onClose={onClose}
    title="Disable this endpoint?"
    confirm="Disable endpoint"
    isDangerous
    onConfirm={() => disableEndpoint(endpoint.id)}
  >
    Nothing more is sent to <code>{endpoint.url}</code>, and pending retries are dropped. You cannot re-enable a
    disabled endpoint, but you can still view its deliveries.
  </ConfirmDialog>
);
