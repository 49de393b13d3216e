// The account's webhook endpoints, the state of their deliveries, and a dialog that adds one.
import { Button, SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Cut } from '../../../parts/cut.tsx';
import { type Column, DataTable } from '../../../parts/data-table.tsx';
import { RowCard } from '../../../parts/row-card.tsx';
import { Empty } from '../../../parts/states.tsx';
import { When } from '../../../parts/when.tsx';
import { AddEndpoint } from './add-endpoint.tsx';
import { EndpointStatus, isFailing, LastAnswer, lastHourText, typesText } from './endpoint-words.tsx';
import { endpointsQuery, type MessageType, type WebhookEndpoint } from './webhook-queries.ts';
import classes from './webhooks.module.css';

const NO_TYPES: readonly MessageType[] = [];
const NO_ENDPOINTS: readonly WebhookEndpoint[] = [];

/** The button that opens the dialog is in the page's header. */
export interface Adding {
  readonly isAdding: boolean;
  readonly onAdd: () => void;
  /** Called after the endpoint was added, and after the dialog was cancelled. */
  readonly onAdded: () => void;
}

interface EndpointsTabProps extends Adding {
  /** Lists only enabled endpoints that fail, wholly or in part. */
  readonly health: 'failing' | undefined;
}

export function EndpointsTab({ isAdding, onAdd, onAdded, health }: EndpointsTabProps): ReactNode {
  const { data, error, refetch } = useQuery(endpointsQuery);
  const rows = health === undefined ? data?.data : data?.data.filter(isFailing);
  return (
    <>
      <HealthFilter health={health} />
      <DataTable
        label="Webhook endpoints"
        columns={COLUMNS}
        rows={rows}
        rowKey={({ id }) => id}
        rowPath={({ id }) => `/developers/webhooks/${id}`}
        card={(endpoint) => <EndpointCard endpoint={endpoint} />}
        fault={error}
        onRetry={() => void refetch()}
        skeletonRows={3}
        empty={
          health === 'failing' ? (
            <Empty title="No failing endpoints">Every enabled endpoint took its last call, and no message waits.</Empty>
          ) : (
            <Empty title="No endpoints yet" action={<Button onClick={onAdd}>Add endpoint</Button>}>
              Add a URL of your backend to be notified about every payment, including when a customer closes the tab, a
              capture is confirmed or a refund is returned.
            </Empty>
          )
        }
      />
      {data?.isCut === true && (
        <p className={classes['dim']}>The account has more than 100 endpoints. The first 100 are shown.</p>
      )}
      <AddEndpoint
        types={data?.types ?? NO_TYPES}
        endpoints={data?.data ?? NO_ENDPOINTS}
        isOpen={isAdding}
        onClose={onAdded}
      />
    </>
  );
}

function HealthFilter({ health }: Pick<EndpointsTabProps, 'health'>): ReactNode {
  const navigate = useNavigate();
  return (
    <SegmentedControl
      mb="sm"
      aria-label="Which endpoints"
      value={health ?? 'all'}
      onChange={(value) =>
        void navigate({ to: '/developers/webhooks', search: value === 'failing' ? { health: value } : {} })
      }
      data={[
        { value: 'all', label: 'All' },
        { value: 'failing', label: 'Failing' },
      ]}
    />
  );
}

const UrlCell = ({ url }: WebhookEndpoint): ReactNode => (
  <Cut>
    <span className={classes['url']}>{url}</span>
  </Cut>
);

const COLUMNS: readonly Column<WebhookEndpoint>[] = [
  { id: 'url', header: 'URL', cell: UrlCell },
  {
    id: 'types',
    header: 'Messages',
    isWideOnly: true,
    cell: ({ events }) => <Cut>{typesText(events)}</Cut>,
  },
  {
    id: 'last',
    header: 'Last delivery',
    isWideOnly: true,
    cell: ({ lastAttempt }) => (
      <Cut>
        <LastAnswer attempt={lastAttempt} /> {lastAttempt !== undefined && <When ms={Date.parse(lastAttempt.at)} />}
      </Cut>
    ),
  },
  {
    id: 'status',
    header: 'Status',
    cell: (endpoint) => (
      <span className={classes['last']}>
        <EndpointStatus endpoint={endpoint} />
        {endpoint.health === 'failing_in_part' && (
          <span className={classes['lastHour']}>{lastHourText(endpoint.lastHour)} in the last hour</span>
        )}
        {endpoint.failedAt !== undefined && <span className={classes['fault']}>deliveries given up</span>}
      </span>
    ),
  },
];

const EndpointCard = ({ endpoint }: { readonly endpoint: WebhookEndpoint }): ReactNode => (
  <RowCard
    head={new URL(endpoint.url).host}
    badge={<EndpointStatus endpoint={endpoint} />}
    line={new URL(endpoint.url).pathname}
    aside={endpoint.lastAttempt !== undefined && <LastAnswer attempt={endpoint.lastAttempt} />}
    foot={
      endpoint.health === 'failing_in_part' ? (
        `${lastHourText(endpoint.lastHour)} in the last hour`
      ) : endpoint.lastAttempt === undefined ? (
        typesText(endpoint.events)
      ) : (
        <When ms={Date.parse(endpoint.lastAttempt.at)} />
      )
    }
  />
);
