// The parked notifications of the account, each with buttons that retry or discard it.
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import { type Asking, answerOf, api } from '../../app/api.ts';
import { KEYS } from '../../app/query-keys.ts';
import { ConfirmDialog } from '../../parts/confirm.tsx';
import { CopiedId } from '../../parts/copied-id.tsx';
import { Cut } from '../../parts/cut.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { type Done, DoneLine } from '../../parts/done-line.tsx';
import { FaultLine } from '../../parts/fault-line.tsx';
import { Empty } from '../../parts/states.tsx';
import { When } from '../../parts/when.tsx';
import classes from './operations.module.css';

const LOOK_EVERY_MS = 10_000;
const readParked = ({ signal }: Asking) => answerOf(api.GET('/dashboard/api/parked-notifications', { signal }));
type Row = Awaited<ReturnType<typeof readParked>>['data'][number];

export function ParkedNotifications(): ReactNode {
  const queries = useQueryClient();
  const [done, setDone] = useState<Done>();
  const { data, error, refetch } = useQuery({
    queryKey: [KEYS.operations, 'parked-notifications'],
    queryFn: readParked,
    refetchInterval: LOOK_EVERY_MS,
  });
  const [discarding, setDiscarding] = useState<Row>();
  const [isOpen, setOpen] = useState(false);
  const told = async ({ status, paymentId, paymentMethodToken }: Row): Promise<void> => {
    const isApplied = status === 'applied';
    const words = isApplied
      ? `The notification was applied to ${paymentId ?? paymentMethodToken}.`
      : status === 'parked'
        ? 'The notification is still parked.'
        : `The notification is ${status}.`;
    setDone({ words, tone: status === 'parked' ? 'warn' : 'good' });
    await queries.invalidateQueries({ queryKey: [KEYS.operations] });
  };
  const retry = useMutation({
    mutationFn: ({ id }: Row) =>
      answerOf(api.POST('/dashboard/api/parked-notifications/{id}/retry', { params: { path: { id } } })),
    onSuccess: told,
  });
  const { mutate, isPending, variables } = retry;
  const columns = useMemo(() => {
    const discard = (row: Row): void => {
      setDiscarding(row);
      setOpen(true);
    };
    return columnsOf(mutate, discard, ({ id }) => isPending && variables?.id === id);
  }, [mutate, isPending, variables]);
  return (
    <>
      <FaultLine fault={retry.error} />
      <DoneLine done={retry.error === null ? done : undefined} />
      <DataTable
        label="Parked notifications"
        columns={columns}
        rows={data?.data}
        rowKey={({ id }) => id}
        fault={error}
        onRetry={() => void refetch()}
        skeletonRows={2}
        empty={<Empty title="No parked notifications">Every notification was applied or discarded.</Empty>}
      />
      {data?.hasMore === true && (
        <p className={classes['note']}>
          More are parked. <code>counterfoil notifications parked</code> lists up to 999.
        </p>
      )}
      <ConfirmDialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title="Discard this notification?"
        confirm="Discard notification"
        isDangerous
        onConfirm={async () => {
          if (discarding === undefined) return;
          const { id } = discarding;
          await told(
            await answerOf(api.POST('/dashboard/api/parked-notifications/{id}/discard', { params: { path: { id } } })),
          );
        }}
      >
        The notification will never be applied. It stays on record, with your name.
      </ConfirmDialog>
    </>
  );
}

const columnsOf = (
  retry: (row: Row) => void,
  discard: (row: Row) => void,
  isRunning: (row: Row) => boolean,
): readonly Column<Row>[] => [
  {
    id: 'type',
    header: 'Notification',
    cell: ({ type, processor }) => (
      <Cut>
        {type ?? 'unreadable'}, {processor}
      </Cut>
    ),
  },
  {
    id: 'payment',
    header: 'Names',
    cell: ({ paymentId, reference }) =>
      paymentId === undefined && reference === undefined ? (
        '–'
      ) : (
        <CopiedId id={paymentId ?? reference ?? ''} label="named payment" />
      ),
    isWideOnly: true,
  },
  {
    id: 'reason',
    header: 'Why',
    cell: ({ reason }) => <Cut>{reason}</Cut>,
    isWideOnly: true,
  },
  {
    id: 'parked',
    header: 'Parked',
    cell: ({ parkedAt }) => parkedAt !== undefined && <When ms={Date.parse(parkedAt)} />,
    isWideOnly: true,
  },
  { id: 'retries', header: 'Tries', align: 'right', cell: ({ retries }) => retries, isWideOnly: true },
  {
    id: 'next',
    header: 'Next try',
    cell: ({ retryAt }) => (retryAt == null ? 'by hand' : <When ms={Date.parse(retryAt)} />),
    isWideOnly: true,
  },
  {
    id: 'act',
    header: <span className="sr-only">Actions</span>,
    align: 'right',
    cell: (row) => (
      <span className={classes['buttons']}>
        <Button size="compact-sm" variant="default" loading={isRunning(row)} onClick={() => retry(row)}>
          Retry
        </Button>
        <Button size="compact-sm" variant="subtle" color="red" onClick={() => discard(row)}>
          Discard
        </Button>
      </span>
    ),
  },
];
