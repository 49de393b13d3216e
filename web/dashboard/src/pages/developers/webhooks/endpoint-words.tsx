// The state of an endpoint and of its last call, in words and colours.
import type { ReactNode } from 'react';
import { StatusBadge } from '../../../parts/status-badge.tsx';
import { StatusCode } from '../../requests/status-code.tsx';
import type { Delivery, WebhookEndpoint } from './webhook-queries.ts';
import classes from './webhooks.module.css';

export function EndpointStatus({ endpoint: { state, health } }: { readonly endpoint: WebhookEndpoint }): ReactNode {
  if (state !== 'enabled') return <StatusBadge status={state} />;
  return health === 'unused' ? <StatusBadge status="not_called_yet" /> : <StatusBadge status={health} />;
}

/** The status of a message; a message that waits for an ended endpoint is discarded. */
export const DeliveryStatusBadge = ({
  delivery: { status, discarded },
}: {
  readonly delivery: Pick<Delivery, 'status' | 'discarded'>;
}): ReactNode => <StatusBadge status={discarded === null ? status : 'discarded'} />;

/** The status of the response, or why there is none. */
export function LastAnswer({ attempt }: { readonly attempt: Delivery['lastAttempt'] | undefined }): ReactNode {
  if (attempt == null) return <span className={classes['dim']}>Not tried yet</span>;
  return attempt.status === null ? (
    <span className={classes['fault']}>{attempt.fault ?? 'no response'}</span>
  ) : (
    <StatusCode status={attempt.status} />
  );
}

/** A receiver takes a message with any 2xx; everything else is tried again. */
export const typesText = (events: WebhookEndpoint['events']): string =>
  events === undefined ? 'All types' : events.join(', ');
