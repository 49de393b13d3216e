// The dialogs that change a webhook endpoint, rotate its secret, disable it and delete it.
import { Modal, Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { requestKey } from '../../../app/request-key.ts';
import { useRunning } from '../../../app/use-running.ts';
import { ConfirmDialog } from '../../../parts/confirm.tsx';
import { FormEnd } from '../../../parts/form-end.tsx';
import { EndpointFields, type EndpointValues, eventsIn, isComplete } from './endpoint-fields.tsx';
import { MadeEndpoint } from './made-endpoint.tsx';
import {
  changeEndpoint,
  deleteEndpoint,
  disableEndpoint,
  type EndpointMade,
  endpointsQuery,
  type MessageType,
  rotateSecret,
  type WebhookEndpoint,
} from './webhook-queries.ts';

export type EndpointChange = 'change' | 'rotate' | 'disable' | 'delete';

interface ChangeProps {
  readonly endpoint: WebhookEndpoint;
  readonly onClose: () => void;
}

export function ChangeEndpoint({ change, ...props }: ChangeProps & { readonly change: EndpointChange }): ReactNode {
  switch (change) {
    case 'change':
      return <Change {...props} />;
    case 'delete':
      return <Delete {...props} />;
    case 'rotate':
      return <Rotate {...props} />;
    case 'disable':
      return <Disable {...props} />;
    default:
      return change satisfies never;
  }
}

const NO_TYPES: readonly MessageType[] = [];

function Change({ endpoint, onClose }: ChangeProps): ReactNode {
  const types = useQuery(endpointsQuery).data?.types ?? NO_TYPES;
  const [{ id, url, events, version }] = useState(endpoint); // what the user saw
  const [values, setValues] = useState<EndpointValues>({ url, isAll: events === undefined, chosen: events ?? [] });
  const [key] = useState(() => requestKey('change-endpoint'));
  const { isRunning, fault, run } = useRunning(async () => {
    const wanted = eventsIn(values, types);
    await changeEndpoint(
      id,
      { url: values.url.trim(), events: wanted === undefined ? null : [...wanted] },
      version,
      key,
    );
    onClose();
  });
  return (
    <Modal opened onClose={onClose} title="Change webhook endpoint" size={640}>
      <form onSubmit={run}>
        <Stack gap="md">
          <EndpointFields types={types} values={values} onChange={setValues} />
          <Text size="sm">
            Messages that wait go to the new URL. The types apply to events from now on. The signing secret stays.
          </Text>
          <FormEnd
            fault={fault}
            submit="Save changes"
            isRunning={isRunning}
            isIncomplete={!isComplete(values)}
            onCancel={onClose}
          />
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
            <FormEnd fault={fault} submit="Rotate" isRunning={isRunning} onCancel={onClose} />
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

const Delete = ({ endpoint, onClose }: ChangeProps): ReactNode => (
  <ConfirmDialog
    isOpen
    onClose={onClose}
    title="Delete this endpoint?"
    confirm="Delete endpoint"
    isDangerous
    onConfirm={() => deleteEndpoint(endpoint.id)}
  >
    Nothing more is sent to <code>{endpoint.url}</code>, and pending messages are dropped. Lists no longer show the
    endpoint. Its deliveries stay readable on this page and on the pages of their payments.
  </ConfirmDialog>
);
