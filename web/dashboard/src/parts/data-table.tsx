// A table of things over TanStack Table: skeletons of the rows' own height, an empty and a failed state, j and k, Enter, and More.
import { Button, Skeleton } from '@mantine/core';
import { useRouter } from '@tanstack/react-router';
import { columnVisibilityFeature, createColumnHelper, tableFeatures, useTable } from '@tanstack/react-table';
import { type MouseEvent, type ReactNode, useMemo, useRef, useState } from 'react';
import { useShortcuts } from '../app/keyboard.tsx';
import classes from './data-table.module.css';
import { Failed } from './states.tsx';

export interface Column<Row> {
  readonly id: string;
  /** Words, or nothing that is drawn for a column of buttons (then `label`). */
  readonly header: ReactNode;
  readonly cell: (row: Row) => ReactNode;
  /** Numbers stand at the right. */
  readonly align?: 'right';
  /** CSS, `160px`; the browser shares the rest. */
  readonly width?: string;
  /** Left out on narrow screens. */
  readonly isWideOnly?: boolean;
}

export interface DataTableProps<Row> {
  /** The table's name, for people who hear the page. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  /** Undefined while the first of them are loaded. */
  readonly rows: readonly Row[] | undefined;
  readonly rowKey: (row: Row) => string;
  /** Where a row leads: a path without /dashboard, `/payments/pay_1`. Its first cell becomes a link over the whole row. */
  readonly rowPath?: (row: Row) => string;
  /** Without a path: what a click on a row, and Enter, do. */
  readonly onOpen?: (row: Row) => void;
  /** Stands in the table's place when there are no rows. */
  readonly empty: ReactNode;
  readonly fault?: Error | null;
  readonly onRetry?: () => void;
  /** There are more behind the last one. */
  readonly more?: { readonly hasMore: boolean; readonly isLoading: boolean; readonly load: () => void };
  /** Ids of columns that are not shown. */
  readonly hidden?: ReadonlySet<string>;
  readonly skeletonRows?: number;
}

const features = tableFeatures({ columnVisibilityFeature });
const NO_ROWS: readonly never[] = [];
const NONE_HIDDEN: ReadonlySet<string> = new Set();
const FEW = 8;

export function DataTable<Row extends object>(props: DataTableProps<Row>): ReactNode {
  const { label, columns, rows, rowKey, empty, fault, onRetry, more, hidden = NONE_HIDDEN, skeletonRows = FEW } = props;
  const { open, active, setActive, body } = useRows(props);
  const table = useColumns(columns, rows, rowKey, hidden);
  if (fault !== null && fault !== undefined && rows === undefined)
    return <Failed fault={fault} {...(onRetry !== undefined && { onRetry })} />;
  if (rows?.length === 0) return <div className={classes['around']}>{empty}</div>;
  const shown = columns.filter(({ id }) => !hidden.has(id));
  return (
    <div className={classes['around']}>
      <div className={classes['scroll']}>
        <table className={classes['table']} aria-label={label} aria-busy={rows === undefined}>
          <thead>
            <tr>
              {shown.map((column) => (
                <th key={column.id} scope="col" {...lookOf(column)} style={{ width: column.width }}>
                  {column.header}
                </th>
              ))}
            </tr>
          </thead>
          <tbody ref={body}>
            {rows === undefined && <SkeletonRows columns={shown} count={skeletonRows} />}
            {rows !== undefined &&
              table.getRowModel().rows.map(({ id, index, original }) => (
                <tr
                  key={id}
                  data-active={index === active || undefined}
                  data-opens={props.rowPath !== undefined || props.onOpen !== undefined || undefined}
                  onClick={(event) => {
                    if (isOwnClick(event)) return;
                    setActive(index);
                    open(original, event);
                  }}
                >
                  {shown.map((column, at) => (
                    <td key={column.id} {...lookOf(column)}>
                      {at === 0 ? <FirstCell {...props} row={original} cell={column.cell(original)} /> : column.cell(original)}
                    </td>
                  ))}
                </tr>
              ))}
          </tbody>
        </table>
      </div>
      {more?.hasMore === true && (
        <div className={classes['more']}>
          <Button variant="default" loading={more.isLoading} onClick={more.load}>
            More
          </Button>
        </div>
      )}
    </div>
  );
}

const lookOf = ({ align, isWideOnly }: Pick<Column<never>, 'align' | 'isWideOnly'>): object => ({
  ...(align !== undefined && { 'data-align': align }),
  ...(isWideOnly === true && { 'data-wide': true }),
});

/** On something in the row that has its own click, or at the end of a text that was marked. */
const isOwnClick = ({ target }: MouseEvent): boolean =>
  (target instanceof Element && target.closest('a, button, input, label') !== null) || getSelection()?.type === 'Range';

function useColumns<Row extends object>(
  columns: readonly Column<Row>[],
  rows: readonly Row[] | undefined,
  rowKey: (row: Row) => string,
  hidden: ReadonlySet<string>,
) {
  const defined = useMemo(() => {
    const helper = createColumnHelper<typeof features, Row>();
    return helper.columns(columns.map(({ id }) => helper.display({ id })));
  }, [columns]);
  const columnVisibility = useMemo(() => Object.fromEntries([...hidden].map((id) => [id, false])), [hidden]);
  return useTable({ features, columns: defined, data: rows ?? NO_ROWS, getRowId: rowKey, state: { columnVisibility } });
}

/** The row that the keyboard is at, and the ways to open one. */
function useRows<Row extends object>({ rows, rowPath, onOpen }: DataTableProps<Row>) {
  const [active, setActive] = useState(-1);
  const body = useRef<HTMLTableSectionElement>(null);
  const router = useRouter();
  const open = (row: Row, event?: MouseEvent): void => {
    if (rowPath === undefined) onOpen?.(row);
    else if (event !== undefined && (event.metaKey || event.ctrlKey)) window.open(`/dashboard${rowPath(row)}`, '_blank', 'noopener');
    else router.history.push(`/dashboard${rowPath(row)}`);
  };
  const move = (by: number): void => {
    const next = Math.max(0, Math.min((rows?.length ?? 0) - 1, active + by));
    setActive(next);
    body.current?.rows[next]?.scrollIntoView({ block: 'nearest' });
  };
  const current = rows?.[active];
  const opens = rowPath !== undefined || onOpen !== undefined;
  useShortcuts([
    { keys: 'j', does: 'The next row', run: () => move(1) },
    { keys: 'k', does: 'The row before', run: () => move(-1) },
    ...(opens && current !== undefined ? [{ keys: 'Enter', does: 'Open the row', run: () => open(current) }] : []),
  ]);
  return { open, active, setActive, body };
}

/** The first cell of a row that leads somewhere is a link: for the keyboard, and for a click with the middle button. */
function FirstCell<Row extends object>({
  row,
  cell,
  rowPath,
  onOpen,
}: Pick<DataTableProps<Row>, 'rowPath' | 'onOpen'> & { readonly row: Row; readonly cell: ReactNode }): ReactNode {
  const router = useRouter();
  if (rowPath !== undefined) {
    const href = `/dashboard${rowPath(row)}`;
    const follow = (event: MouseEvent): void => {
      if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
      event.preventDefault();
      router.history.push(href);
    };
    return (
      <a href={href} className={classes['link']} onClick={follow}>
        {cell}
      </a>
    );
  }
  if (onOpen !== undefined)
    return (
      <button type="button" className={classes['link']} onClick={() => onOpen(row)}>
        {cell}
      </button>
    );
  return cell;
}

function SkeletonRows<Row>({ columns, count }: { readonly columns: readonly Column<Row>[]; readonly count: number }): ReactNode {
  return Array.from({ length: count }, (_, row) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: they have no other name, and never move
    <tr key={row}>
      {columns.map((column, at) => (
        <td key={column.id} {...lookOf(column)}>
          <Skeleton height={12} width={at === 0 ? '70%' : '50%'} className={classes['bone'] ?? ''} />
        </td>
      ))}
    </tr>
  ));
}
