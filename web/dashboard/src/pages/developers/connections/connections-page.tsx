// The account's connections to processors, the state of each, and a dialog that adds one.
import { Button } from '@mantine/core';
import { PlusIcon } from '@radix-ui/react-icons';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useUser } from '../../../app/session.tsx';
import { Cut } from '../../../parts/cut.tsx';
import { type Column, DataTable } from '../../../parts/data-table.tsx';
import { PageFrame } from '../../../parts/page-frame.tsx';
import { RowCard } from '../../../parts/row-card.tsx';
import { Empty } from '../../../parts/states.tsx';
import { StoreNote } from '../../../parts/store-note.tsx';
import { When } from '../../../parts/when.tsx';
import { AddConnection } from './add-connection.tsx';
import { type Connection, connectionsQuery } from './connection-queries.ts';
import { CallOutcome, CircuitState, ConnectionStatus } from './connection-words.tsx';
import classes from './connections.module.css';

const NO_PROCESSORS: readonly string[] = [];

export function ConnectionsPage(): ReactNode {
  const { operatesStore } = useUser();
  const [isAdding, setAdding] = useState(false);
  const { data, error, refetch } = useQuery(connectionsQuery);
  const button = (
    <Button leftSection={<PlusIcon />} onClick={() => setAdding(true)}>
      Connect an account
    </Button>
  );
  return (
    <PageFrame
      title="Processor accounts"
      lead="Your accounts at processors. Without rules of routing the first active one takes new payments; a further sandbox takes what rules send to it."
      actions={operatesStore && button}
    >
      {!operatesStore && <SharedMachine />}
      <DataTable
        label="Processor accounts"
        columns={COLUMNS}
        rows={data?.data}
        rowKey={({ id }) => id}
        rowPath={({ id }) => `/developers/connections/${id}`}
        card={(connection) => <ConnectionCard connection={connection} />}
        fault={error}
        onRetry={() => void refetch()}
        skeletonRows={2}
        empty={
          <Empty title="No processor accounts yet" action={operatesStore && button}>
            {operatesStore
              ? 'Connect an account at a processor to take payments by it.'
              : 'The operators of this service can connect an account for you.'}
          </Empty>
        }
      />
      {data?.isCut === true && <p className={classes['dim']}>The list is cut. Disabled accounts stay in it.</p>}
      <AddConnection
        processors={data?.processors ?? NO_PROCESSORS}
        isOpen={isAdding}
        onClose={() => setAdding(false)}
      />
    </PageFrame>
  );
}

/** Shown in place of the buttons that name secrets. */
export const SharedMachine = (): ReactNode => (
  <StoreNote>Secrets are files and variables of the service’s machine.</StoreNote>
);

const LastCall = ({ lastCall }: { readonly lastCall: Connection['lastCall'] | undefined }): ReactNode =>
  lastCall === undefined ? (
    <span className={classes['dim']}>None since the start</span>
  ) : (
    <span className={classes['last']}>
      <CallOutcome call={lastCall} />
      <When ms={Date.parse(lastCall.at)} as="second" />
    </span>
  );

const COLUMNS: readonly Column<Connection>[] = [
  { id: 'name', header: 'Name', cell: ({ name }) => <Cut>{name}</Cut> },
  { id: 'processor', header: 'Processor', cell: ({ processor }) => processor },
  { id: 'status', header: 'Status', cell: (connection) => <ConnectionStatus connection={connection} /> },
  { id: 'circuit', header: 'Circuit breaker', cell: ({ circuit }) => <CircuitState circuit={circuit} /> },
  { id: 'last', header: 'Last call', cell: ({ lastCall }) => <LastCall lastCall={lastCall} /> },
  {
    id: 'added',
    header: 'Added',
    align: 'right',
    isWideOnly: true,
    cell: ({ createdAt }) => <When ms={Date.parse(createdAt)} />,
  },
];

const ConnectionCard = ({ connection }: { readonly connection: Connection }): ReactNode => (
  <RowCard
    head={<bdi>{connection.name}</bdi>}
    badge={<ConnectionStatus connection={connection} />}
    line={connection.processor}
    aside={connection.lastCall !== undefined && <CallOutcome call={connection.lastCall} />}
    foot={
      connection.circuit.open ? (
        'The circuit breaker is open'
      ) : connection.lastCall === undefined ? (
        'No call since the start'
      ) : (
        <When ms={Date.parse(connection.lastCall.at)} as="second" />
      )
    }
  />
);
