// A table: skeletons of the rows' own height, an empty and a failed state, j and k, Enter, and More. In a long list
// only the rows near the window are rendered; on a narrow screen rows may be cards. A text that may be long is a `Cut`
// in its cell.
import { Button, Checkbox, Skeleton } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useRouter } from '@tanstack/react-router';
import { type MouseEvent, type ReactNode, useMemo, useRef, useState } from 'react';
import { useShortcuts } from '../app/keyboard.tsx';
import { useCutTexts } from './cut.tsx';
import classes from './data-table.module.css';
import { MoreRows, type MoreRowsProps } from './more-rows.tsx';
import { PathLink } from './path-link.tsx';
import { useShownRows } from './shown-rows.ts';
import { Failed } from './states.tsx';

export interface Column<Row> {
  readonly id: string;
  /** Words, or nothing that is drawn for a column of buttons (then `label`). */
  readonly header: ReactNode;
  readonly cell: (row: Row) => ReactNode;
  /** `right` for numbers. */
  readonly align?: 'right';
  /** CSS, `160px`; the browser shares the rest. */
  readonly width?: string;
  /** Left out on narrow screens. */
  readonly isWideOnly?: boolean;
  /** What a click on the header does, and the order of the rows by this column, if they have it. */
  readonly sort?: { readonly direction?: 'ascending' | 'descending' | undefined; readonly onTurn: () => void };
}

/** The rows that are chosen, by their keys: a box in front of each. */
interface Choice<Row> {
  readonly chosen: ReadonlySet<string>;
  /** The words after "Choose", for people who hear the page. */
  readonly nameOf: (row: Row) => string;
  readonly onChange: (chosen: ReadonlySet<string>) => void;
}

interface DataTableProps<Row> {
  /** The table's name, for people who hear the page. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  /** Undefined while the first of them are loaded. */
  readonly rows: readonly Row[] | undefined;
  readonly rowKey: (row: Row) => string;
  /**
   * Where a row leads: a path without /dashboard, `/payments/pay_1`. Its first cell becomes a link over the whole row.
   */
  readonly rowPath?: (row: Row) => string;
  /** Without a path: what a click on a row, and Enter, do. */
  readonly onOpen?: (row: Row) => void;
  /** Shown in place of the table if there are no rows. */
  readonly empty: ReactNode;
  readonly fault?: Error | null;
  readonly onRetry?: () => void;
  /** Loads the rows after the last one: `moreOf` the query. */
  readonly more?: MoreRowsProps;
  /** Reloads the list. Given if the list has changed since it was loaded and is too long to update automatically. */
  readonly readAnew?: (() => void) | undefined;
  /** Ids of columns that are not shown. */
  readonly hidden?: ReadonlySet<string>;
  readonly skeletonRows?: number;
  readonly choice?: Choice<Row>;
  /** A row on a narrow screen, in place of the table. It must not contain a button or link. */
  readonly card?: (row: Row) => ReactNode;
  /** True if each card has a fourth line. */
  readonly isTall?: boolean;
}

/** Heights in px. The style sheet repeats them. */
const ROW_HEIGHT = 45;
const CARD_HEIGHT = 100;
const TALL_CARD_HEIGHT = 124;
const NARROW = '(max-width: 48em)';

const NONE_HIDDEN: ReadonlySet<string> = new Set();
const FEW = 8;

export function DataTable<Row extends object>(props: DataTableProps<Row>): ReactNode {
  const { label, rows, empty, fault, onRetry, more } = props;
  const isNarrow = useMediaQuery(NARROW, undefined, { getInitialValueInEffect: false });
  const cursor = useState(-1); // here, so that a window that becomes narrow or wide keeps the row
  if (fault !== null && fault !== undefined && rows === undefined)
    return <Failed fault={fault} {...(onRetry !== undefined && { onRetry })} />;
  if (rows?.length === 0 && more?.hasMore !== true) return <div className={classes['around']}>{empty}</div>;
  return (
    <div className={classes['around']}>
      {props.readAnew !== undefined && <Changed onReadAnew={props.readAnew} />}
      {isNarrow && props.card !== undefined && rows !== undefined ? (
        <Cards {...props} cursor={cursor} rows={rows} card={props.card} label={label} />
      ) : (
        <Table {...props} cursor={cursor} />
      )}
      {more !== undefined && <MoreRows {...more} />}
    </div>
  );
}

const Changed = ({ onReadAnew }: { readonly onReadAnew: () => void }): ReactNode => (
  <div className={classes['changed']} role="status">
    <span>This list has changed since it was loaded.</span>
    <Button variant="default" size="compact-sm" onClick={onReadAnew}>
      Show newest
    </Button>
  </div>
);

/** The index of the row with the keyboard's cursor, -1 before the first key, and its setter. */
interface Cursor {
  readonly cursor: readonly [number, (index: number) => void];
}

function Table<Row extends object>(props: DataTableProps<Row> & Cursor): ReactNode {
  const { label, columns, rows, rowKey, hidden = NONE_HIDDEN, skeletonRows = FEW, choice } = props;
  const body = useRef<HTMLTableSectionElement>(null);
  const { from, to, before, after, reveal } = useShownRows(rows?.length ?? 0, ROW_HEIGHT, body);
  const { open, active, setActive } = useRows(props, reveal);
  useCutTexts(body);
  const shown = useMemo(() => columns.filter(({ id }) => !hidden.has(id)), [columns, hidden]);
  const opens = props.rowPath !== undefined || props.onOpen !== undefined;
  const width = shown.length + (choice === undefined ? 0 : 1);
  return (
    <div className={classes['scroll']}>
      <table
        className={classes['table']}
        aria-label={label}
        aria-busy={rows === undefined}
        aria-rowcount={(rows?.length ?? 0) + 1}
      >
        <thead>
          <tr aria-rowindex={1}>
            {choice !== undefined && (
              <th scope="col" className={classes['choice']}>
                <ChooseAll choice={choice} keys={rows?.map(rowKey) ?? []} />
              </th>
            )}
            {shown.map((column) => (
              <th
                key={column.id}
                scope="col"
                {...lookOf(column)}
                style={{ width: column.width }}
                aria-sort={column.sort?.direction}
              >
                {column.sort === undefined ? column.header : <SortButton {...column.sort}>{column.header}</SortButton>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          {rows === undefined && <SkeletonRows columns={shown} count={skeletonRows} hasChoice={choice !== undefined} />}
          <Spacer height={before} columns={width} />
          {rows?.slice(from, to).map((row, at) => (
            <tr
              key={rowKey(row)}
              data-row={from + at}
              aria-rowindex={from + at + 2}
              data-active={from + at === active || undefined}
              data-opens={opens || undefined}
              onClick={(event) => {
                if (isOwnClick(event)) return;
                setActive(from + at);
                open(row, event);
              }}
            >
              {choice !== undefined && (
                <td className={classes['choice']} aria-label="Choice">
                  <ChooseRow choice={choice} row={row} id={rowKey(row)} size="xs" />
                </td>
              )}
              <Cells row={row} columns={shown} rowPath={props.rowPath} onOpen={props.onOpen} />
            </tr>
          ))}
          <Spacer height={after} columns={width} />
        </tbody>
      </table>
    </div>
  );
}

interface ChooseRowProps<Row> {
  readonly choice: Choice<Row>;
  readonly row: Row;
  readonly id: string;
  readonly size: 'xs' | 'sm';
}

const ChooseRow = <Row,>({ choice, row, id, size }: ChooseRowProps<Row>): ReactNode => (
  <Checkbox
    size={size}
    aria-label={`Choose ${choice.nameOf(row)}`}
    checked={choice.chosen.has(id)}
    onChange={() => choice.onChange(toggled(choice.chosen, id))}
  />
);

interface ChooseAllProps<Row> {
  readonly choice: Choice<Row>;
  readonly keys: readonly string[];
  /** Words beside the box. */
  readonly label?: string;
}

function ChooseAll<Row>({ choice, keys, label }: ChooseAllProps<Row>): ReactNode {
  const count = keys.filter((key) => choice.chosen.has(key)).length;
  const isWhole = count > 0 && count === keys.length;
  return (
    <Checkbox
      size={label === undefined ? 'xs' : 'sm'}
      {...(label === undefined ? { 'aria-label': 'Choose all rows that are loaded' } : { label })}
      checked={isWhole}
      indeterminate={count > 0 && !isWhole}
      disabled={keys.length === 0}
      onChange={() => choice.onChange(new Set(isWhole ? [] : keys))}
    />
  );
}

function toggled(chosen: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(chosen);
  if (!next.delete(key)) next.add(key);
  return next;
}

const SortButton = ({
  direction,
  onTurn,
  children,
}: NonNullable<Column<never>['sort']> & { readonly children: ReactNode }): ReactNode => (
  <button type="button" className={classes['sort']} onClick={onTurn}>
    {children}
    <span aria-hidden>{direction === undefined ? ' ↕' : direction === 'ascending' ? ' ↑' : ' ↓'}</span>
  </button>
);

const Spacer = ({ height, columns }: { readonly height: number; readonly columns: number }): ReactNode =>
  height === 0 ? null : (
    <tr aria-hidden className={classes['spacer']}>
      <td colSpan={columns} style={{ height }} />
    </tr>
  );

interface CellsProps<Row> extends Pick<DataTableProps<Row>, 'columns'> {
  readonly row: Row;
  readonly rowPath: DataTableProps<Row>['rowPath'] | undefined;
  readonly onOpen: DataTableProps<Row>['onOpen'] | undefined;
}

/** Memoised for each row, so that scrolling a long list renders only the rows that come into view. */
function Cells<Row extends object>({ row, columns, rowPath, onOpen }: CellsProps<Row>): ReactNode {
  return useMemo(
    () =>
      columns.map((column, at) => (
        <td key={column.id} {...lookOf(column)}>
          {at === 0 ? (
            <FirstCell row={row} cell={column.cell(row)} rowPath={rowPath} onOpen={onOpen} />
          ) : (
            column.cell(row)
          )}
        </td>
      )),
    [row, columns, rowPath, onOpen],
  );
}

function Cards<Row extends object>(
  props: DataTableProps<Row> & Cursor & { readonly rows: readonly Row[]; readonly card: (row: Row) => ReactNode },
): ReactNode {
  const { label, rows, rowKey, card, rowPath, onOpen, choice, isTall = false } = props;
  const list = useRef<HTMLUListElement>(null);
  const { from, to, before, after, reveal } = useShownRows(rows.length, isTall ? TALL_CARD_HEIGHT : CARD_HEIGHT, list);
  const { active } = useRows(props, reveal);
  return (
    <>
      {choice !== undefined && rows.length > 0 && (
        <div className={classes['chooseAll']}>
          <ChooseAll choice={choice} keys={rows.map(rowKey)} label="Choose all" />
        </div>
      )}
      <ul
        className={classes['cards']}
        data-tall={isTall || undefined}
        aria-label={label}
        ref={list}
        style={{ paddingTop: before, paddingBottom: after }}
      >
        {rows.slice(from, to).map((row, at) => (
          <li
            key={rowKey(row)}
            data-row={from + at}
            data-active={from + at === active || undefined}
            data-chosen={choice?.chosen.has(rowKey(row)) || undefined}
          >
            {choice !== undefined && (
              <div className={classes['choose']}>
                <ChooseRow choice={choice} row={row} id={rowKey(row)} size="sm" />
              </div>
            )}
            <FirstCell row={row} cell={card(row)} rowPath={rowPath} onOpen={onOpen} />
          </li>
        ))}
      </ul>
    </>
  );
}

const lookOf = ({ align, isWideOnly }: Pick<Column<never>, 'align' | 'isWideOnly'>): object => ({
  ...(align !== undefined && { 'data-align': align }),
  ...(isWideOnly === true && { 'data-wide': true }),
});

/** True for a click on an element with its own action, or at the end of a text selection. */
const isOwnClick = ({ target }: MouseEvent): boolean =>
  (target instanceof Element && target.closest('a, button, input, label') !== null) || getSelection()?.type === 'Range';

/** The row that the keyboard is at, and the ways to open one. */
function useRows<Row extends object>(
  { rows, rowPath, onOpen, cursor }: DataTableProps<Row> & Cursor,
  reveal: (index: number) => void,
) {
  const [active, setActive] = cursor;
  const router = useRouter();
  const open = (row: Row, event?: MouseEvent): void => {
    if (rowPath === undefined) onOpen?.(row);
    else if (event !== undefined && (event.metaKey || event.ctrlKey))
      window.open(`/dashboard${rowPath(row)}`, '_blank', 'noopener');
    else router.history.push(`/dashboard${rowPath(row)}`);
  };
  const move = (by: number): void => {
    const next = Math.max(0, Math.min((rows?.length ?? 0) - 1, active + by));
    setActive(next);
    reveal(next);
  };
  const current = rows?.[active];
  const opens = rowPath !== undefined || onOpen !== undefined;
  useShortcuts([
    { keys: 'j', does: 'Next row', run: () => move(1) },
    { keys: 'k', does: 'Previous row', run: () => move(-1) },
    ...(opens && current !== undefined ? [{ keys: 'Enter', does: 'Open row', run: () => open(current) }] : []),
  ]);
  return { open, active, setActive };
}

/** The first cell of a row that leads somewhere is a link: for the keyboard, and for a click with the middle button. */
function FirstCell<Row extends object>({
  row,
  cell,
  rowPath,
  onOpen,
}: Omit<CellsProps<Row>, 'columns'> & { readonly cell: ReactNode }): ReactNode {
  if (rowPath !== undefined)
    return (
      <PathLink path={rowPath(row)} className={classes['link']}>
        {cell}
      </PathLink>
    );
  if (onOpen !== undefined)
    return (
      <button type="button" className={classes['link']} onClick={() => onOpen(row)}>
        {cell}
      </button>
    );
  return cell;
}

function SkeletonRows<Row>({
  columns,
  count,
  hasChoice,
}: {
  readonly columns: readonly Column<Row>[];
  readonly count: number;
  readonly hasChoice: boolean;
}): ReactNode {
  return Array.from({ length: count }, (_, row) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: they have no other name, and never move
    <tr key={row}>
      {hasChoice && <td />}
      {columns.map((column, at) => (
        <td key={column.id} {...lookOf(column)}>
          <Skeleton height={12} width={at === 0 ? '70%' : '50%'} className={classes['bone'] ?? ''} />
        </td>
      ))}
    </tr>
  ));
}
