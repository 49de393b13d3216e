// How many payments match, and how much money that is, in each currency.
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Money } from '../../parts/money.tsx';
import type { PaymentSearch } from './payment-filters.ts';
import { totalsQuery } from './payment-queries.ts';
import classes from './totals-line.module.css';

const counted = new Intl.NumberFormat();
/** Currencies that are named; a list of more says how many others there are. */
const NAMED = 4;

/** The line keeps its place while it is loaded, so that the list below does not move. */
export function TotalsLine({ search }: { readonly search: PaymentSearch }): ReactNode {
  const { data, isPlaceholderData } = useQuery(totalsQuery(search));
  if (data === undefined) return <p className={classes['line']}>&nbsp;</p>;
  const { count, isMore, currencies } = data;
  const others = currencies.length - NAMED;
  return (
    <p className={classes['line']} data-old={isPlaceholderData || undefined} aria-live="polite">
      <span>
        {counted.format(count)}
        {isMore && ' or more'} {count === 1 && !isMore ? 'payment' : 'payments'}
      </span>
      {currencies.slice(0, NAMED).map(({ currencyCode, amount }) =>
        amount === undefined ? null : (
          <span key={currencyCode}>
            {isMore && 'at least '}
            <Money amount={amount} currencyCode={currencyCode} />
          </span>
        ),
      )}
      {others > 0 && <span>{others === 1 ? 'and one more currency' : `and ${others} more currencies`}</span>}
    </p>
  );
}
