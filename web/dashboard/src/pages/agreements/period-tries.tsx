// The periods of an agreement as rows, newest first, and the tries of each as columns: how each ended, and what the
// next one waited for.
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Money } from '../../parts/money.tsx';
import { PathLink } from '../../parts/path-link.tsx';
import { shortReason } from '../../parts/short-reason.ts';
import { Empty, Failed, Loading } from '../../parts/states.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { When } from '../../parts/when.tsx';
import classes from './agreement-page.module.css';
import { triesQueryOf } from './agreement-queries.ts';
import type { Agreement, ChargeTry } from './agreement-types.ts';
import { becauseWords, REFUSED_WORDS } from './agreement-words.ts';

export function PeriodTries({ agreement }: { readonly agreement: Agreement }): ReactNode {
  const { id, periods = [] } = agreement;
  const read = useQuery(triesQueryOf(id));
  if (periods.length === 0)
    return (
      <div className={classes['box']}>
        <Empty title="No period charged yet">
          Your backend charges one with <code>POST /agreements/{'{id}'}/charges</code>.
        </Empty>
      </div>
    );
  if (read.data === undefined)
    return read.error === null ? (
      <Loading height={200} what="Loading the tries" />
    ) : (
      <Failed fault={read.error} onRetry={() => void read.refetch()} />
    );
  const rows = periods.toReversed().map(({ periodKey, amount, currencyCode }) => ({
    periodKey,
    amount,
    currencyCode,
    tries: read.data.data.filter((one) => one.periodKey === periodKey),
  }));
  const columns = Math.max(1, ...rows.map(({ tries }) => tries.length));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keyboard has to reach it
    <section className={classes['scroll']} tabIndex={0} aria-label="Periods and their tries">
      <table className={classes['tries']} aria-label="Periods" aria-busy={false}>
        <thead>
          <tr>
            <th scope="col">Period</th>
            {Array.from({ length: columns }, (_, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the columns are the numbers
              <th key={place} scope="col">
                Try {place + 1}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ periodKey, amount, currencyCode, tries }) => (
            <tr key={periodKey}>
              <th scope="row">
                <bdi className={classes['key']}>{periodKey}</bdi>
                <Money amount={amount} currencyCode={currencyCode} />
              </th>
              {Array.from({ length: columns }, (_, place) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the columns are the numbers
                <td key={place}>{tries[place] !== undefined && <Try one={tries[place]} />}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Try({ one }: { readonly one: ChargeTry }): ReactNode {
  const { paymentId, outcome = 'PENDING', claimedAt, code, message } = one;
  return (
    <div className={classes['try']}>
      <span className={classes['outcome']}>
        <StatusBadge status={outcome} />
        <PathLink path={`/payments/${paymentId}`}>
          <When ms={Date.parse(claimedAt)} />
        </PathLink>
      </span>
      {code !== undefined && <span title={code}>{shortReason(message)}</span>}
      <Waited one={one} />
    </div>
  );
}

/** Until when the next try waits or waited, and for what. */
function Waited({ one }: { readonly one: ChargeTry }): ReactNode {
  const { outcome, notBefore, because, retryAt, retryRefused } = one;
  if (outcome === undefined || outcome === 'SUCCEEDED') return null;
  const why = becauseWords(because);
  return (
    <>
      {notBefore !== undefined && because !== undefined && (
        <span className={classes['dim']}>
          Not before <When ms={Date.parse(notBefore)} />
          {why !== undefined && `: ${why}`}
        </span>
      )}
      {retryAt !== undefined && (
        <span className={classes['dim']}>
          Planned by the service for <When ms={Date.parse(retryAt)} />
        </span>
      )}
      {retryRefused !== undefined && <span className={classes['dim']}>{REFUSED_WORDS[retryRefused]}</span>}
    </>
  );
}
