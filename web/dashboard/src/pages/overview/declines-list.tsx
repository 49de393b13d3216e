// Declines by reason: a bar for each code, the most frequent first, each a link to the payments that were declined so.
import { Skeleton } from '@mantine/core';
import type { ReactNode } from 'react';
import { PathLink } from '../../parts/path-link.tsx';
import { shortReason } from '../../parts/short-reason.ts';
import { amountText, type Overview } from './figures.ts';
import classes from './overview.module.css';
import { paymentsPath } from './period.ts';

const SHOWN = 6;

interface DeclinesListProps {
  readonly overview: Overview | undefined;
}

export function DeclinesList({ overview }: DeclinesListProps): ReactNode {
  const declines = overview?.declines ?? [];
  const most = Math.max(1, ...declines.map(({ count }) => count));
  const others = declines.slice(SHOWN).reduce((sum, { count }) => sum + count, 0);
  return (
    <section className={classes['card']} aria-label="Declines by reason">
      <div className={classes['cardHead']}>
        <h2>Declines by reason</h2>
      </div>
      <div className={classes['chart']}>
        {overview === undefined && <Skeleton height="100%" />}
        {overview !== undefined && declines.length === 0 && (
          <p className={classes['none']}>No authorization was declined in this period.</p>
        )}
        {declines.length > 0 && (
          <ul className={classes['bars']}>
            {declines.slice(0, SHOWN).map(({ code, count, amount, message }) => (
              <li key={code}>
                <PathLink
                  path={paymentsPath(overview, { status: ['DECLINED'], decline_code: code })}
                  className={classes['bar']}
                >
                  <span className={classes['barWords']}>
                    <span className={classes['barLabel']} title={code}>
                      {shortReason(message)}
                    </span>
                    <span className={classes['barCount']}>
                      {count}{' '}
                      <span className={classes['dim']}>{amountText(amount, overview?.currencyCode ?? null)}</span>
                    </span>
                  </span>
                  <span className={classes['barTrack']} aria-hidden>
                    <span className={classes['barFill']} style={{ width: `${(count / most) * 100}%` }} />
                  </span>
                </PathLink>
              </li>
            ))}
            {others > 0 && <li className={classes['dim']}>{others} for other reasons</li>}
          </ul>
        )}
      </div>
    </section>
  );
}
