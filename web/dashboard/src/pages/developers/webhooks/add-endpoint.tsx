// The dialog that adds a webhook endpoint: its URL and types of messages, then its secret, shown once.
import { Button, Checkbox, Group, Radio, Stack, Text, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { requestKey } from '../../../app/request-key.ts';
import { useRunning } from '../../../app/use-running.ts';
import { FaultLine } from '../../../parts/fault-line.tsx';
import { MadeOnce } from '../../../parts/made-once.tsx';
import { MadeEndpoint } from './made-endpoint.tsx';
import { addEndpoint, type EndpointMade, type MessageType, type WebhookEndpoint } from './webhook-queries.ts';
import classes from './webhooks.module.css';

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
  const [url, setUrl] = useState('');
  const [isAll, setAll] = useState(true);
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const events = isAll ? undefined : types.filter((type) => chosen.includes(type));
  const { isRunning, fault, run } = useRunning(async () => {
    onMade(await addEndpoint({ url: url.trim(), ...(events !== undefined && { events }) }, key));
  });
  const isSecond = endpoints.some(
    (one) => one.state === 'enabled' && one.url === url.trim() && String(one.events) === String(events ?? null),
  );
  return (
    <form onSubmit={run}>
      <Stack gap="md">
        <TextInput
          label="URL"
          description="Messages are sent to this URL by POST"
          placeholder="https://shop.example/webhooks"
          value={url}
          onChange={({ currentTarget }) => setUrl(currentTarget.value)}
          maxLength={1_024}
          inputMode="url"
          autoComplete="off"
          spellCheck={false}
          data-autofocus
        />
        <Radio.Group label="Messages" value={isAll ? 'all' : 'some'} onChange={(value) => setAll(value === 'all')}>
          <Stack gap={8} mt={8}>
            <Radio value="all" label="All types, including future ones" />
            <Radio value="some" label="Only these types:" />
          </Stack>
        </Radio.Group>
        {!isAll && (
          <Checkbox.Group aria-label="Types of messages" value={[...chosen]} onChange={setChosen}>
            <div className={classes['types']}>
              {types.map((type) => (
                <Checkbox key={type} value={type} label={<code>{type}</code>} />
              ))}
            </div>
          </Checkbox.Group>
        )}
        {isSecond && (
          <Text size="sm">
            An endpoint with this URL and these types already exists. Each message will be sent to both.
          </Text>
        )}
        <FaultLine fault={fault} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={isRunning} disabled={url.trim() === '' || (!isAll && chosen.length === 0)}>
            Add endpoint
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
