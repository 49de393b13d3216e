// The parked streams of the account, each with buttons that retry it or skip its event.
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import { type Asking, answerOf, api } from '../../app/api.ts';
import { KEYS } from '../../app/query-keys.ts';
import { ConfirmDialog } from '../../parts/confirm.tsx';
import { Cut } from '../../parts/cut.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { type Done, DoneLine } from '../../parts/done-line.tsx';
import { FaultLine } from '../../parts/fault-line.tsx';
import { Empty } from '../../parts/states.tsx';
import { When } from '../../parts/when.tsx';
import classes from './operations.module.css';

const LOOK_EVERY_MS = 10_000;
const readParked = ({ signal }: Asking) => answerOf(api.GET('/dashboard/api/parked-streams', { signal }));
type Row = Awaited<ReturnType<typeof readParked>>['data'][number];

const REASONS: { readonly [R in Row['reason']]: string } = {
  poison: 'Cannot be projected',
  unknown: 'Written by a newer version',
  broken: 'Does not follow the previous event',
  limited: 'The event store is set to drop its events',
};

export function ParkedStreams(): ReactNode {
  const queries = useQueryClient();
  const [done, setDone] = useState<Done>();
  const { data, error, refetch } = useQuery({
    queryKey: [KEYS.operations, 'parked-streams'],
    queryFn: readParked,
    refetchInterval: LOOK_EVERY_MS,
  });
  const [discarding, setDiscarding] = useState<Row>();
  const [isOpen, setOpen] = useState(false);
  const told = async ({ stream, goesOn }: { readonly stream: string; readonly goesOn: boolean }): Promise<void> => {
    setDone(
      goesOn
        ? { words: `${stream} is no longer parked.`, tone: 'good' }
        : { words: `${stream} is still parked.`, tone: 'warn' },
    );
    await queries.invalidateQueries({ queryKey: [KEYS.operations] });
  };
  const retry = useMutation({
    mutationFn: ({ projection, stream }: Row) =>
      answerOf(api.POST('/dashboard/api/parked-streams/retry', { body: { projection, stream } })),
    onSuccess: told,
  });
  const { mutate, isPending, variables } = retry;
  const columns = useMemo(() => {
    const isRunning = (row: Row): boolean =>
      isPending && variables?.stream === row.stream && variables.projection === row.projection;
    const discard = (row: Row): void => {
      setDiscarding(row);
      setOpen(true);
    };
    return columnsOf(mutate, discard, isRunning);
  }, [mutate, isPending, variables]);
  return (
    <>
      <FaultLine fault={retry.error} />
      <DoneLine done={retry.error === null ? done : undefined} />
      <DataTable
        label="Parked streams"
        columns={columns}
        rows={data?.data}
        rowKey={({ projection, stream }) => `${projection}/${stream}`}
        fault={error}
        onRetry={() => void refetch()}
        skeletonRows={2}
        empty={<Empty title="No parked streams">Every event of the account is in its read models.</Empty>}
      />
      {data !== undefined && data.others > 0 && (
        <p className={classes['note']}>
          {data.others} more belong to other accounts. <code>counterfoil projections parked</code> lists them.
        </p>
      )}
      {data?.isWhole === false && (
        <p className={classes['note']}>
          More streams are parked than this page reads. <code>counterfoil projections parked</code> lists them all.
        </p>
      )}
      <ConfirmDialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title="Skip this event?"
        confirm="Skip event"
        isDangerous
        {...(discarding !== undefined && { typed: discarding.type })}
        onConfirm={async () => {
          if (discarding === undefined) return;
          const { projection, stream } = discarding;
          await told(
            await answerOf(api.POST('/dashboard/api/parked-streams/discard', { body: { projection, stream } })),
          );
        }}
      >
        The read model <code>{discarding?.projection}</code> will continue without event {discarding?.revision} of{' '}
        <code>{discarding?.stream}</code>, now and in every later generation. The event stays in the log.
      </ConfirmDialog>
    </>
  );
}

const EventCell = ({ revision, type }: Row): ReactNode => (
  <Cut>
    {revision} {type}
  </Cut>
);

const columnsOf = (
  retry: (row: Row) => void,
  discard: (row: Row) => void,
  isRunning: (row: Row) => boolean,
): readonly Column<Row>[] => [
  {
    id: 'stream',
    header: 'Stream',
    cell: ({ stream }) => (
      <Cut>
        <span className={classes['mono']}>{stream}</span>
      </Cut>
    ),
  },
  {
    id: 'projection',
    header: 'Read model',
    cell: ({ projection }) => (projection === 'log' ? 'all (the log)' : projection),
    isWideOnly: true,
  },
  { id: 'event', header: 'Event', cell: EventCell, isWideOnly: true },
  {
    id: 'reason',
    header: 'Why',
    cell: ({ reason, fault }) => (
      <span title={fault}>
        <Cut>{REASONS[reason]}</Cut>
      </span>
    ),
    isWideOnly: true,
  },
  { id: 'since', header: 'Since', cell: ({ since }) => <When ms={Date.parse(since)} />, isWideOnly: true },
  {
    id: 'act',
    header: <span className="sr-only">Actions</span>,
    align: 'right',
    cell: (row) => (
      <span className={classes['buttons']}>
        <Button size="compact-sm" variant="default" loading={isRunning(row)} onClick={() => retry(row)}>
          Retry
        </Button>
        {row.projection !== 'log' && (
          <Button size="compact-sm" variant="subtle" color="red" onClick={() => discard(row)}>
            Discard
          </Button>
        )}
      </span>
    ),
  },
];
