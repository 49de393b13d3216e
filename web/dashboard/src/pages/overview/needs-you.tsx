// What needs the user: one row for each kind of work that waits, with its number, leading to a list with as many rows.
import { ChevronRightIcon } from '@radix-ui/react-icons';
import type { ReactNode } from 'react';
import { needCount, useNeeds } from '../../app/needs.ts';
import { PathLink } from '../../parts/path-link.tsx';
import { When } from '../../parts/when.tsx';
import classes from './overview.module.css';

/** Nothing if no work waits: the strip below says so. */
export function NeedsYou(): ReactNode {
  const needs = useNeeds() ?? [];
  if (needs.length === 0) return null;
  return (
    <section className={classes['needs']} aria-labelledby="needs-you">
      <h2 id="needs-you">Needs you</h2>
      <ul>
        {needs.map((need) => (
          <li key={need.kind}>
            <PathLink path={need.path} className={classes['need']}>
              <strong className={classes['needCount']}>{needCount(need)}</strong>
              <span className={classes['needWords']}>
                {need.words}
                {need.dueAt !== undefined && (
                  <span className={classes['dim']}>
                    {need.count === 1 ? ' by ' : ', the first by '}
                    <When ms={Date.parse(need.dueAt)} />
                  </span>
                )}
              </span>
              <ChevronRightIcon aria-hidden className={classes['dim']} />
            </PathLink>
          </li>
        ))}
      </ul>
    </section>
  );
}
