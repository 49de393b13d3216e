// Every read model, with its lag and its rebuild.
import { Button, Progress, SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import { useUser } from '../../app/session.tsx';
import { Cut } from '../../parts/cut.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { durationText } from '../../parts/duration.ts';
import { Empty } from '../../parts/states.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { StoreNote } from '../../parts/store-note.tsx';
import { LagChart, type LagHours } from '../overview/lag-chart.tsx';
import classes from './operations.module.css';
import { type ProjectionRow, projectionsQuery, useRebuildNews } from './projection-queries.ts';
import { RebuildDialog } from './rebuild-dialog.tsx';
import { shareOf } from './rebuild-steps.ts';

interface ProjectionsTabProps {
  /** The read model whose dialog is open. */
  readonly rebuild: string | undefined;
  readonly onRebuild: (name: string | undefined) => void;
}

export function ProjectionsTab({ rebuild, onRebuild }: ProjectionsTabProps): ReactNode {
  useRebuildNews();
  const { operatesStore } = useUser();
  const { data, error, refetch } = useQuery(projectionsQuery);
  const [hours, setHours] = useState<LagHours>();
  const columns = useMemo(() => columnsOf(onRebuild, operatesStore), [onRebuild, operatesStore]);
  const open = data?.data.find(({ name }) => name === rebuild);
  return (
    <>
      <div className={classes['lag']}>
        <LagChart
          {...(hours !== undefined && { hours })}
          aside={(shown) => (
            <SegmentedControl
              aria-label="Hours"
              size="xs"
              data={HOURS.map((one) => ({ value: String(one), label: `${one} h` }))}
              value={String(shown)}
              onChange={(value) => setHours(HOURS.find((one) => String(one) === value))}
            />
          )}
        />
      </div>
      {!operatesStore && <StoreNote>All accounts of this service are in the same read models.</StoreNote>}
      <DataTable
        label="Read models"
        columns={columns}
        rows={data?.data}
        rowKey={({ name }) => name}
        {...(operatesStore && { onOpen: ({ name }: ProjectionRow) => onRebuild(name) })}
        fault={error}
        onRetry={() => void refetch()}
        empty={<Empty title="No read models" />}
      />
      <RebuildDialog projection={operatesStore ? open : undefined} onClose={() => onRebuild(undefined)} />
    </>
  );
}

const HOURS: readonly LagHours[] = [1, 6, 24];
const number = new Intl.NumberFormat();

const columnsOf = (onRebuild: (name: string) => void, operatesStore: boolean): readonly Column<ProjectionRow>[] =>
  operatesStore
    ? [...COLUMNS, rebuildColumn(onRebuild)]
    : COLUMNS.filter(({ id }) => id !== 'documents' && id !== 'parked'); // those of all accounts

const Name = ({ name }: Pick<ProjectionRow, 'name'>): ReactNode => (
  <Cut>
    <span className={classes['mono']}>{name}</span>
  </Cut>
);

const COLUMNS: readonly Column<ProjectionRow>[] = [
  { id: 'name', header: 'Read model', cell: ({ name }) => <Name name={name} /> },
  { id: 'state', header: 'State', cell: (row) => <State row={row} />, width: '148px' },
  {
    id: 'documents',
    header: 'Documents',
    align: 'right',
    cell: ({ documents }) => number.format(documents ?? 0),
    isWideOnly: true,
  },
  { id: 'lag', header: 'Lag', cell: (row) => <Lag row={row} />, isWideOnly: true },
  { id: 'version', header: 'Version', align: 'right', cell: ({ version }) => version, isWideOnly: true },
  {
    id: 'generation',
    header: 'Generation',
    align: 'right',
    cell: ({ generation }) => generation ?? '–',
    isWideOnly: true,
  },
  { id: 'checkpoint', header: 'Checkpoint', align: 'right', cell: ({ checkpoint }) => checkpoint, isWideOnly: true },
  {
    id: 'parked',
    header: 'Parked',
    align: 'right',
    cell: ({ parked }) =>
      parked === 0 || parked === undefined ? (
        <span className={classes['dim']}>0</span>
      ) : (
        <StatusBadge status={String(parked)} tone="warn" />
      ),
    isWideOnly: true,
  },
];

const rebuildColumn = (onRebuild: (name: string) => void): Column<ProjectionRow> => ({
  id: 'rebuild',
  header: <span className="sr-only">Rebuild</span>,
  align: 'right',
  width: '112px',
  cell: ({ name, rebuild }) => (
    <Button size="compact-sm" variant="default" onClick={() => onRebuild(name)} aria-label={`Rebuild ${name}`}>
      {rebuild?.state === 'running' ? 'Watch' : 'Rebuild'}
    </Button>
  ),
});

function State({ row: { name, state, rebuild } }: { readonly row: ProjectionRow }): ReactNode {
  if (rebuild?.state !== 'running') return <StatusBadge status={state} />;
  return (
    <div className={classes['running']}>
      <StatusBadge status={rebuild.dryRun ? 'dry run' : 'rebuilding'} tone="busy" />
      <Progress value={shareOf(rebuild) * 100} size="xs" aria-label={`The rebuild of ${name}`} />
    </div>
  );
}

function Lag({ row: { lagEvents, lagSeconds } }: { readonly row: ProjectionRow }): ReactNode {
  if (lagEvents === 0 && lagSeconds === 0) return <span className={classes['dim']}>none</span>;
  return `${number.format(lagEvents)} ${lagEvents === 1 ? 'event' : 'events'}, ${durationText(lagSeconds * 1_000)}`;
}
