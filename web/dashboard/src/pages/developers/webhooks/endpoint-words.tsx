// The state of an endpoint and of its last call, in words and colours.
import type { ReactNode } from 'react';
import { StatusBadge } from '../../../parts/status-badge.tsx';
import { StatusCode } from '../../requests/status-code.tsx';
import type { Delivery, WebhookEndpoint } from './webhook-queries.ts';
import classes from './webhooks.module.css';

export function EndpointStatus({ endpoint: { state, health } }: { readonly endpoint: WebhookEndpoint }): ReactNode {
  if (state !== 'enabled') return <StatusBadge status={state} />;
  if (health === 'failing_in_part') return <StatusBadge status={health} tone="warn" />;
  return health === 'unused' ? <StatusBadge status="not_called_yet" /> : <StatusBadge status={health} />;
}

/** `48 of 60`, or `190 of the newest 200` if not all were counted. */
export const lastHourText = ({ taken, tried, isMore }: WebhookEndpoint['lastHour']): string =>
  `${taken.toLocaleString()} of ${isMore ? 'the newest ' : ''}${tried.toLocaleString()}`;

type Attempt = NonNullable<Delivery['lastAttempt']>;

/** True for a call that the receiver did not answer with 2xx. */
export const hasFailed = (attempt: Attempt | undefined): attempt is Attempt =>
  attempt !== undefined && (attempt.status === null || attempt.status < 200 || attempt.status >= 300);

/** True for an endpoint that refuses calls, wholly or in part, and has refused the last one or waits for another. */
export const isFailing = ({ state, health, nextAttemptAt, lastAttempt }: WebhookEndpoint): boolean =>
  state === 'enabled' &&
  (health === 'failing' || health === 'failing_in_part') &&
  (nextAttemptAt !== undefined || hasFailed(lastAttempt));

/** The words of the network, for a reader who opens them. */
export const RawFault = ({ fault }: { readonly fault: string | null }): ReactNode =>
  fault === null ? null : (
    <details className={classes['raw']}>
      <summary>Show the error</summary>
      <code>{fault}</code>
    </details>
  );

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
    <span className={classes['fault']} title={attempt.fault ?? undefined}>
      {attempt.why ?? 'No response.'}
    </span>
  ) : (
    <StatusCode status={attempt.status} />
  );
}

/** A receiver takes a message with any 2xx; everything else is tried again. */
export const typesText = (events: WebhookEndpoint['events']): string =>
  events === undefined ? 'All types' : events.join(', ');
