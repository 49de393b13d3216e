// The dialog that adds a webhook endpoint: its URL and types of messages, then its secret, shown once.
import { Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { requestKey } from '../../../app/request-key.ts';
import { useRunning } from '../../../app/use-running.ts';
import { FormEnd } from '../../../parts/form-end.tsx';
import { MadeOnce } from '../../../parts/made-once.tsx';
import { EndpointFields, type EndpointValues, eventsIn, isComplete } from './endpoint-fields.tsx';
import { MadeEndpoint } from './made-endpoint.tsx';
import { addEndpoint, type EndpointMade, type MessageType, type WebhookEndpoint } from './webhook-queries.ts';

interface AddEndpointProps {
  readonly types: readonly MessageType[];
  /** The account's endpoints. */
  readonly endpoints: readonly WebhookEndpoint[];
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function AddEndpoint({ types, endpoints, isOpen, onClose }: AddEndpointProps): ReactNode {
  return (
    <MadeOnce<EndpointMade>
      isOpen={isOpen}
      onClose={onClose}
      title={(made) => (made === undefined ? 'Add webhook endpoint' : 'Signing secret')}
      size={640}
      form={(close, onMade) => <Form types={types} endpoints={endpoints} onClose={close} onMade={onMade} />}
      secret={(made, close) => <MadeEndpoint made={made} onClose={close} />}
    />
  );
}

interface FormProps {
  readonly types: readonly MessageType[];
  readonly endpoints: readonly WebhookEndpoint[];
  readonly onClose: () => void;
  readonly onMade: (made: EndpointMade) => void;
}

function Form({ types, endpoints, onClose, onMade }: FormProps): ReactNode {
  const [key] = useState(() => requestKey('add-endpoint'));
  const [values, setValues] = useState<EndpointValues>({ url: '', isAll: true, chosen: [] });
  const url = values.url.trim();
  const events = eventsIn(values, types);
  const { isRunning, fault, run } = useRunning(async () => {
    onMade(await addEndpoint({ url, ...(events !== undefined && { events: [...events] }) }, key));
  });
  const isSecond = endpoints.some(
    (one) => one.state === 'enabled' && one.url === url && String(one.events) === String(events),
  );
  return (
    <form onSubmit={run}>
      <Stack gap="md">
        <EndpointFields types={types} values={values} onChange={setValues} />
        {isSecond && (
          <Text size="sm">
            An endpoint with this URL and these types already exists. Each message will be sent to both.
          </Text>
        )}
        <FormEnd
          fault={fault}
          submit="Add endpoint"
          isRunning={isRunning}
          isIncomplete={!isComplete(values)}
          onCancel={onClose}
        />
      </Stack>
    </form>
  );
}
