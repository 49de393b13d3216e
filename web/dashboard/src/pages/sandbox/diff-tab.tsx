// The ledger compared with the payments, by attempt and in total: two records of the same money.
import { Button } from '@mantine/core';
import { CheckCircledIcon, ExclamationTriangleIcon } from '@radix-ui/react-icons';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type Asking, answerOf, api } from '../../app/api.ts';
import { KEYS } from '../../app/query-keys.ts';
import { durationText } from '../../parts/duration.ts';
import { Money } from '../../parts/money.tsx';
import { Failed, Loading } from '../../parts/states.tsx';
import classes from './sandbox.module.css';

const readDiff = ({ signal }: Asking) => answerOf(api.GET('/dashboard/api/sandbox/diff', { signal }));
type Diff = Awaited<ReturnType<typeof readDiff>>;

const number = new Intl.NumberFormat();
const counted = (count: number, one: string): string => `${number.format(count)} ${one}${count === 1 ? '' : 's'}`;

export function DiffTab(): ReactNode {
  const { data, error, refetch, isFetching } = useQuery({ queryKey: [KEYS.ledgerDiff], queryFn: readDiff });
  return (
    <>
      <div className={classes['tools']}>
        <p className={classes['hint']}>
          The sandbox keeps its own record of the money. Both records must say the same.
        </p>
        <Button variant="default" loading={isFetching} onClick={() => void refetch()}>
          Compare again
        </Button>
      </div>
      {data === undefined ? (
        error === null ? (
          <Loading height={220} what="Comparing" />
        ) : (
          <Failed isByHand fault={error} onRetry={() => void refetch()} />
        )
      ) : (
        <Result diff={data} />
      )}
    </>
  );
}

function Result({ diff }: { readonly diff: Diff }): ReactNode {
  const { equal, lines, payments, open, differences, shown, totals, held, tookMs } = diff;
  const what = `${counted(lines, 'line')}, ${counted(payments, 'payment')}`;
  return (
    <section className={classes['result']} data-equal={equal} aria-label="The comparison">
      <header>
        {equal ? <CheckCircledIcon aria-hidden /> : <ExclamationTriangleIcon aria-hidden />}
        <div>
          <h2>{equal ? `Equal: ${what}` : `${counted(differences, 'difference')}: ${what}`}</h2>
          <p>
            {open === 0 ? 'Every attempt is resolved.' : `${counted(open, 'attempt')} unresolved and not compared.`}{' '}
            Compared in {durationText(tookMs)}.
          </p>
        </div>
      </header>
      {shown.length > 0 && (
        <ul className={classes['differences']}>
          {shown.map(({ paymentId, words }) => (
            <li key={words}>
              <a href={`/dashboard/payments/${paymentId}`}>{paymentId}</a>
              <span>{words.slice(paymentId.length + 1)}</span>
            </li>
          ))}
        </ul>
      )}
      {held.map(({ currencyCode, payments: of, amount }) => (
        <p key={currencyCode}>
          Held, open for an operator: <Money amount={amount} currencyCode={currencyCode} /> of {counted(of, 'payment')}.
        </p>
      ))}
      {totals.length > 0 && (
        <table className={classes['totals']}>
          <thead>
            <tr>
              <th scope="col">Currency</th>
              <th scope="col">Authorized</th>
              <th scope="col">Captured</th>
              <th scope="col">Refunded</th>
            </tr>
          </thead>
          <tbody>
            {totals.map(({ currencyCode, authorized, captured, refunded }) => (
              <tr key={currencyCode}>
                <th scope="row">{currencyCode}</th>
                {[authorized, captured, refunded].map((amount, at) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: the three columns, always in this order
                  <td key={at}>
                    <Money amount={amount} currencyCode={currencyCode} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
