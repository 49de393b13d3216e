// A chart in its frame: a heading, its words for people who do not see it, and the same numbers as a table on a switch.
import { Skeleton, Table, UnstyledButton } from '@mantine/core';
import { BarChartIcon, TableIcon } from '@radix-ui/react-icons';
import { type ReactNode, useState } from 'react';
import classes from './overview.module.css';
import { Plot, type PlotProps } from './plot.tsx';

interface ChartTable {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

interface ChartCardProps {
  readonly title: string;
  /** What the chart says, in a sentence. */
  readonly summary: string;
  /** Beside the title: a link, a legend. */
  readonly aside?: ReactNode;
  readonly table: ChartTable;
  readonly isLoading: boolean;
  /** Undefined if there is nothing to draw; `none` then says so. */
  readonly plot: PlotProps | undefined;
  readonly none: string;
  /** True for a low chart, whose line is mostly flat. */
  readonly isLow?: boolean;
}

export function ChartCard({
  title,
  summary,
  aside,
  table,
  isLoading,
  plot,
  none,
  isLow = false,
}: ChartCardProps): ReactNode {
  const [isTable, setIsTable] = useState(false);
  return (
    <section className={classes['card']} aria-label={title}>
      <div className={classes['cardHead']}>
        <h2>{title}</h2>
        <div className={classes['cardAside']}>
          {aside}
          <UnstyledButton
            className={classes['switch']}
            onClick={() => setIsTable(!isTable)}
            aria-pressed={isTable}
            aria-label={`${title} as a table`}
            title={isTable ? 'Show as chart' : 'Show as table'}
          >
            {isTable ? <BarChartIcon aria-hidden /> : <TableIcon aria-hidden />}
          </UnstyledButton>
        </div>
      </div>
      <div className={classes['chart']} data-low={isLow || undefined}>
        {isLoading ? (
          <Skeleton height="100%" />
        ) : isTable ? (
          <FiguresTable title={title} table={table} />
        ) : plot === undefined ? (
          <p className={classes['none']}>{none}</p>
        ) : (
          <Plot title={title} summary={summary} {...plot} />
        )}
      </div>
    </section>
  );
}

const FiguresTable = ({
  title,
  table: { columns, rows },
}: {
  readonly title: string;
  readonly table: ChartTable;
}): ReactNode => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keyboard has to reach it
  <section className={classes['tableScroll']} tabIndex={0} aria-label={`${title}, table`}>
    <Table striped={false} withRowBorders verticalSpacing={4} fz="sm" stickyHeader>
      <Table.Thead>
        <Table.Tr>
          {columns.map((column, at) => (
            <Table.Th key={column} ta={at === 0 ? 'left' : 'right'}>
              {column}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map((cells) => (
          <Table.Tr key={cells[0]}>
            {cells.map((cell, at) => (
              <Table.Td key={columns[at]} {...(at === 0 ? { ta: 'left' } : { ta: 'right', className: 'numbers' })}>
                {cell}
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  </section>
);
