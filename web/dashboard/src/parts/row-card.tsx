// A row of a list on a narrow screen, where a table would scroll sideways: three lines of the height that the table
// expects, or four in a list of tall cards.
import type { ReactNode } from 'react';
import classes from './row-card.module.css';

interface RowCardProps {
  readonly head: ReactNode;
  /** At the right of the head: a status. */
  readonly badge: ReactNode;
  /** The main line. A text that is too long ends in an ellipsis. */
  readonly line: ReactNode;
  /** At the right of the line. */
  readonly aside?: ReactNode;
  readonly foot: ReactNode;
  /** A fourth line: a reason. */
  readonly last?: ReactNode;
}

export const RowCard = ({ head, badge, line, aside, foot, last }: RowCardProps): ReactNode => (
  <span className={classes['card']}>
    <span className={classes['line']}>
      <span className={classes['head']}>{head}</span>
      {badge}
    </span>
    <span className={classes['line']}>
      <span className={classes['words']}>{line}</span>
      {aside !== undefined && <span>{aside}</span>}
    </span>
    <span className={classes['foot']}>{foot}</span>
    {last !== undefined && <span className={classes['foot']}>{last}</span>}
  </span>
);
