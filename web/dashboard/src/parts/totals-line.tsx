// How many rows of a list match, and the sum of their amounts in each currency, with a word for what is summed.
import type { ReactNode } from 'react';
import type { components } from '../app/api-types.d.ts';
import { Money } from './money.tsx';
import classes from './totals-line.module.css';

/** A count of thousands costs the service 0.2 s or more of CPU, so no event asks for such a one. */
export const COUNT_AGAIN_MS = 30_000;

const counted = new Intl.NumberFormat();
/** Currencies that are named; a list of more says how many others there are. */
const NAMED = 4;

interface TotalsLineProps {
  /** Undefined while they are loaded. */
  readonly totals: components['schemas']['Totals'] | undefined;
  /** True of the totals of other filters, which are shown until the new ones are there. */
  readonly isOld: boolean;
  /** The name of a row, and of several. */
  readonly nouns: readonly [one: string, several: string];
  /** What the sums are of: "requested amounts". */
  readonly amounts: string;
  /** After the figures. */
  readonly note?: ReactNode;
}

/** The line keeps its place while it is loaded, so that the list below does not move. */
export function TotalsLine({ totals, isOld, nouns: [one, several], amounts, note }: TotalsLineProps): ReactNode {
  if (totals === undefined) return <p className={classes['line']}>&nbsp;</p>;
  const { count, isMore, currencies } = totals;
  const others = currencies.length - NAMED;
  return (
    <p className={classes['line']} data-old={isOld || undefined} aria-live="polite">
      <span>
        {counted.format(count)}
        {isMore && ' or more'} {count === 1 && !isMore ? one : several}
      </span>
      {currencies.length > 0 && <span>{amounts}:</span>}
      {currencies.slice(0, NAMED).map(({ currencyCode, amount }) => (
        <span key={currencyCode}>
          {isMore && 'at least '}
          <Money amount={amount} currencyCode={currencyCode} />
        </span>
      ))}
      {others > 0 && <span>{others === 1 ? 'and one more currency' : `and ${others} more currencies`}</span>}
      {note}
    </p>
  );
}
