// One delivery in a drawer: each call and its response, the next attempt, and a button that resends it.
import { Button, Drawer, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useRunning } from '../../../app/use-running.ts';
import { CopyText } from '../../../parts/copy.tsx';
import { CopyButton } from '../../../parts/copy-button.tsx';
import { type Done, DoneLine } from '../../../parts/done-line.tsx';
import { Facts } from '../../../parts/facts.tsx';
import { FaultLine } from '../../../parts/fault-line.tsx';
import { PathLink } from '../../../parts/path-link.tsx';
import { Failed, Loading } from '../../../parts/states.tsx';
import { visibleJson } from '../../../parts/visible-json.ts';
import { When } from '../../../parts/when.tsx';
import classes from './delivery-drawer.module.css';
import { DeliveryEntries } from './delivery-entries.tsx';
import { DeliveryStatusBadge } from './endpoint-words.tsx';
import { NextAttempt } from './next-attempt.tsx';
import { type DeliveryLog, deliveryQuery, resend } from './webhook-queries.ts';

interface DeliveryDrawerProps {
  /** Undefined: closed. */
  readonly id: string | undefined;
  readonly onClose: () => void;
}

export function DeliveryDrawer({ id, onClose }: DeliveryDrawerProps): ReactNode {
  return (
    <Drawer opened={id !== undefined} onClose={onClose} position="right" size="xl" title="Delivery">
      {id !== undefined && <Asked key={id} id={id} />}
    </Drawer>
  );
}

function Asked({ id }: { readonly id: string }): ReactNode {
  const { data, error, refetch } = useQuery(deliveryQuery(id));
  if (data !== undefined) return <Shown log={data} />;
  return error === null ? (
    <Loading what="Loading the delivery" />
  ) : (
    <Failed fault={error} onRetry={() => void refetch()} />
  );
}

function Shown({ log }: { readonly log: DeliveryLog }): ReactNode {
  const { delivery, url, endpointState, body, entries } = log;
  const mayResend = endpointState === 'enabled';
  const [done, setDone] = useState<Done>();
  const { isRunning, fault, run } = useRunning(async () => {
    await resend(delivery.id, `dash-resend-${delivery.id}-${entries.length}`); // what was shown, and one more
    setDone({ words: 'It will be delivered again within a second or two.', tone: 'good' });
  });
  const { eventType, eventId, paymentId, agreementId, endpointId, queuedAt, nextAttemptAt } = delivery;
  const wasChanged = entries.some((entry) => entry.kind === 'call' && entry.headers !== null && !entry.isAsSent);
  return (
    <form className={classes['delivery']} onSubmit={run}>
      <Group justify="space-between" mb="sm">
        <p className={classes['title']}>
          <code>{eventType}</code> <DeliveryStatusBadge delivery={delivery} />
        </p>
        {mayResend && (
          <Button type="submit" variant="default" loading={isRunning}>
            Resend
          </Button>
        )}
      </Group>
      {!mayResend && <p className={classes['dim']}>The endpoint is {endpointState}. Nothing is sent to it.</p>}
      <DoneLine done={done} />
      <FaultLine fault={fault} />
      <Facts
        facts={[
          {
            name: 'Next attempt',
            value: nextAttemptAt === null || !mayResend ? undefined : <NextAttempt delivery={delivery} />,
          },
          { name: 'Queued', value: <When ms={Date.parse(queuedAt)} as="second" /> },
          {
            name: 'Payment',
            value: paymentId === null ? undefined : <PathLink path={`/payments/${paymentId}`}>{paymentId}</PathLink>,
          },
          {
            name: 'Agreement',
            value: agreementId === null ? undefined : <CopyText text={agreementId} label="agreement id" />,
          },
          { name: 'Endpoint', value: <PathLink path={`/developers/webhooks/${endpointId}`}>{url}</PathLink> },
          { name: 'Event', value: <CopyText text={eventId} label="event id" /> },
          { name: 'Sequence', value: sequenceOf(delivery) },
        ]}
      />
      <h3>Calls</h3>
      <DeliveryEntries entries={entries} />
      <Group justify="space-between">
        <h3>Request body</h3>
        <CopyButton text={body} />
      </Group>
      {wasChanged && (
        <p className={classes['dim']}>
          An earlier version of the service sent a different text, so the signatures do not match this one. What it
          tells is the same.
        </p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keyboard has to reach it */}
      <pre className={classes['text']} tabIndex={0}>
        {indented(body)}
      </pre>
    </form>
  );
}

/** A checkpoint has no message before it. */
function sequenceOf({ paymentId, agreementId, sequence, previousSequence }: DeliveryLog['delivery']): string {
  if (paymentId === null && agreementId === null) return String(sequence);
  return previousSequence === null ? `${sequence}, the first` : `${sequence}, after ${previousSequence}`;
}

/** The body is sent without line ends. */
function indented(text: string): string {
  try {
    return visibleJson(JSON.stringify(JSON.parse(text), undefined, 2));
  } catch {
    return text;
  }
}
