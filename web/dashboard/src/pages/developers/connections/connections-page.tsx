// The account's connections to processors, the built-in sandbox among them, with the state of each and what it took;
// and a dialog that adds one.
import { Button } from '@mantine/core';
import { PlusIcon } from '@radix-ui/react-icons';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useUser } from '../../../app/session.tsx';
import { Cut } from '../../../parts/cut.tsx';
import { type Column, DataTable } from '../../../parts/data-table.tsx';
import { moneyText } from '../../../parts/money.tsx';
import { PageFrame } from '../../../parts/page-frame.tsx';
import { RowCard } from '../../../parts/row-card.tsx';
import { Empty } from '../../../parts/states.tsx';
import { StatusBadge } from '../../../parts/status-badge.tsx';
import { StoreNote } from '../../../parts/store-note.tsx';
import { When } from '../../../parts/when.tsx';
import { AddConnection } from './add-connection.tsx';
import {
  type BuiltIn,
  type Connection,
  type ConnectionTotals,
  connectionsQuery,
  connectionTotalsQuery,
} from './connection-queries.ts';
import { CallOutcome, CircuitState, ConnectionStatus } from './connection-words.tsx';
import classes from './connections.module.css';

const NO_PROCESSORS: readonly string[] = [];

/** A row of the list: an account that was connected, or the sandbox that is built in. */
interface ListedRow extends Pick<Connection, 'id' | 'name' | 'processor' | 'circuit'> {
  /** Undefined: it is built in. */
  readonly connection?: Connection | undefined;
  readonly lastCall?: Connection['lastCall'] | undefined;
  readonly taken: Taken | undefined;
}

interface Taken {
  readonly count: number;
  /** Payments of all rows. */
  readonly all: number;
  readonly currencies: ConnectionTotals['data'][number]['currencies'];
}

function rowsOf(
  list: { readonly data: readonly Connection[]; readonly builtIn: readonly BuiltIn[] } | undefined,
  totals: ConnectionTotals | undefined,
): readonly ListedRow[] | undefined {
  if (list === undefined) return undefined;
  const all = totals?.data.reduce((sum, { count }) => sum + count, 0) ?? 0;
  const takenBy = (id: string): Taken | undefined => {
    if (totals === undefined) return undefined;
    const { count = 0, currencies = [] } = totals.data.find(({ connectionId }) => connectionId === id) ?? {};
    return { count, all, currencies };
  };
  return [
    ...list.builtIn.map(({ id, circuit, lastCall }) => ({
      id,
      name: id,
      processor: id,
      circuit,
      lastCall,
      taken: takenBy(id),
    })),
    ...list.data.map((connection) => {
      const { id, name, processor, circuit, lastCall } = connection;
      return { id, name, processor, circuit, lastCall, connection, taken: takenBy(id) };
    }),
  ];
}

const pathOf = ({ id, connection }: ListedRow): string =>
  connection === undefined ? '/developers/sandbox' : `/developers/connections/${id}`;

export function ConnectionsPage(): ReactNode {
  const { operatesStore } = useUser();
  const [isAdding, setAdding] = useState(false);
  const { data, error, refetch } = useQuery(connectionsQuery);
  const totals = useQuery(connectionTotalsQuery).data;
  const button = (
    <Button leftSection={<PlusIcon />} onClick={() => setAdding(true)}>
      Connect an account
    </Button>
  );
  return (
    <PageFrame
      title="Processor accounts"
      lead="Your accounts at processors, and the sandbox that is built in. Without rules of routing the first active account takes new payments, and the sandbox while there is none; a further sandbox takes what rules send to it."
      actions={operatesStore && button}
    >
      {!operatesStore && <SharedMachine />}
      <DataTable
        label="Processor accounts"
        columns={COLUMNS}
        rows={rowsOf(data, totals)}
        rowKey={({ id }) => id}
        rowPath={pathOf}
        card={(row) => <ConnectionCard row={row} />}
        fault={error}
        onRetry={() => void refetch()}
        skeletonRows={2}
        empty={<Empty title="No processor accounts yet">{noneYet(operatesStore)}</Empty>}
      />
      {data?.data.length === 0 && data.builtIn.length > 0 && <p className={classes['dim']}>{noneYet(operatesStore)}</p>}
      {data?.isCut === true && <p className={classes['dim']}>The list is cut. Disabled accounts stay in it.</p>}
      <AddConnection
        processors={data?.processors ?? NO_PROCESSORS}
        isOpen={isAdding}
        onClose={() => setAdding(false)}
      />
    </PageFrame>
  );
}

const noneYet = (operatesStore: boolean): string =>
  operatesStore
    ? 'Connect an account at a processor to take payments by it.'
    : 'The operators of this service can connect an account for you.';

/** Shown in place of the buttons that name secrets. */
export const SharedMachine = (): ReactNode => (
  <StoreNote>Secrets are files and variables of the service’s machine.</StoreNote>
);

const LastCall = ({ lastCall }: Pick<ListedRow, 'lastCall'>): ReactNode =>
  lastCall === undefined ? (
    <span className={classes['dim']}>None since the start</span>
  ) : (
    <span className={classes['last']}>
      <CallOutcome call={lastCall} />
      <When ms={Date.parse(lastCall.at)} as="second" />
    </span>
  );

const Status = ({ connection }: Pick<ListedRow, 'connection'>): ReactNode =>
  connection === undefined ? <StatusBadge status="built in" /> : <ConnectionStatus connection={connection} />;

/** `232 payments (72%)` */
const takenText = ({ count, all }: Taken): string =>
  count === 0
    ? 'No payments'
    : `${count.toLocaleString()} ${count === 1 ? 'payment' : 'payments'} (${Math.round((count / all) * 100)}%)`;

/** Currencies whose amounts have room. */
const SHOWN = 2;

function amountsText({ currencies }: Taken): string {
  const more = currencies.length - SHOWN;
  return `${currencies.slice(0, SHOWN).map(moneyText).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

const TakenCell = ({ taken }: Pick<ListedRow, 'taken'>): ReactNode =>
  taken === undefined ? null : (
    <span className={classes['taken']} title={taken.currencies.map(moneyText).join(', ')}>
      {takenText(taken)}
      {taken.count > 0 && <span className={classes['dim']}>{amountsText(taken)}</span>}
    </span>
  );

const COLUMNS: readonly Column<ListedRow>[] = [
  { id: 'name', header: 'Name', cell: ({ name }) => <Cut>{name}</Cut> },
  { id: 'processor', header: 'Processor', cell: ({ processor }) => processor },
  { id: 'status', header: 'Status', cell: ({ connection }) => <Status connection={connection} /> },
  { id: 'taken', header: 'Authorized, last 30 days', cell: ({ taken }) => <TakenCell taken={taken} /> },
  { id: 'circuit', header: 'Circuit breaker', cell: ({ circuit }) => <CircuitState circuit={circuit} /> },
  { id: 'last', header: 'Last call', cell: ({ lastCall }) => <LastCall lastCall={lastCall} /> },
  {
    id: 'added',
    header: 'Added',
    align: 'right',
    isWideOnly: true,
    cell: ({ connection }) => connection && <When ms={Date.parse(connection.createdAt)} />,
  },
];

const ConnectionCard = ({ row }: { readonly row: ListedRow }): ReactNode => (
  <RowCard
    head={<bdi>{row.name}</bdi>}
    badge={<Status connection={row.connection} />}
    line={row.taken === undefined ? row.processor : takenText(row.taken)}
    aside={row.lastCall !== undefined && <CallOutcome call={row.lastCall} />}
    foot={
      row.circuit.open ? (
        'The circuit breaker is open'
      ) : row.lastCall === undefined ? (
        'No call since the start'
      ) : (
        <When ms={Date.parse(row.lastCall.at)} as="second" />
      )
    }
  />
);
