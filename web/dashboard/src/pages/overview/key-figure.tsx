// One number large, how it changed, and the list behind it as its link.
import { Skeleton } from '@mantine/core';

import type { ReactNode } from 'react';
import { PathLink } from '../../parts/path-link.tsx';
import type { Change } from './figures.ts';
import classes from './overview.module.css';

export interface KeyFigureProps {
  readonly label: string;
  /** Undefined while it is loaded. */
  readonly value: string | undefined;
  readonly change: Change | undefined;
  /** Below the number where there is no change to tell. */
  readonly note: string;
  /** Without /dashboard. */
  readonly path: string;
}

export const KeyFigure = ({ label, value, change, note, path }: KeyFigureProps): ReactNode => (
  <PathLink path={path} className={classes['figure']}>
    <span className={classes['figureLabel']}>{label}</span>
    <span className={classes['figureValue']}>{value ?? <Skeleton height={22} width={110} />}</span>
    <span className={classes['figureChange']} data-tone={change?.tone}>
      {value === undefined ? <Skeleton height={12} width={90} /> : (change?.text ?? '')}
      {value !== undefined && <span className={classes['figureNote']}>{note}</span>}
    </span>
  </PathLink>
);
