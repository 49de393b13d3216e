// The events of a payment as they are stored, each with its envelope: for those who check the log itself.
import { Badge, Drawer, Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Failed, Loading } from '../../parts/states.tsx';
import { visibleJson } from '../../parts/visible-json.ts';
import { type Payment, type StoredEvent, storedEventsQuery } from './payment-queries.ts';
import classes from './raw-events.module.css';

interface RawEventsProps {
  readonly payment: Payment;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export const RawEvents = ({ payment, isOpen, onClose }: RawEventsProps): ReactNode => (
  <Drawer opened={isOpen} onClose={onClose} position="right" size="xl" title="Raw events">
    {isOpen && <Events payment={payment} />}
  </Drawer>
);

function Events({ payment: { id, version } }: Pick<RawEventsProps, 'payment'>): ReactNode {
  const stored = useQuery(storedEventsQuery(id, version));
  if (stored.data === undefined)
    return stored.error === null ? <Loading /> : <Failed fault={stored.error} onRetry={() => void stored.refetch()} />;
  const events = stored.data.data;
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <span className={classes['stream']}>{events[0]?.stream}</span>
        <CopyButton text={JSON.stringify(events.map(asJson), undefined, 2)} words="Copy all" />
      </Group>
      {events.map((event) => (
        <Event key={event.id} event={event} />
      ))}
    </Stack>
  );
}

const asJson = ({ data, metadata, ...event }: StoredEvent): object => ({
  ...event,
  data: JSON.parse(data),
  metadata: JSON.parse(metadata),
});

function Event({ event }: { readonly event: StoredEvent }): ReactNode {
  const text = visibleJson(JSON.stringify(asJson(event), undefined, 2));
  return (
    <section aria-label={`Event ${event.revision}, ${event.type}`}>
      <Group justify="space-between" mb={4}>
        <Group gap="xs">
          <Badge variant="default" radius="sm">
            {event.revision}
          </Badge>
          <strong>{event.type}</strong>
        </Group>
        <CopyButton text={text} />
      </Group>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways, and the keyboard has to reach it */}
      <pre className={classes['json']} tabIndex={0}>
        {text}
      </pre>
    </section>
  );
}
