// The mark of a time by the machine's clock. Only a moved business clock needs it: otherwise both clocks are one.
import type { ReactNode } from 'react';
import { useClockAhead } from '../app/business-time.ts';
import classes from './machine-time.module.css';

const WHY = 'By the clock of the service’s machine, which a move of the business clock does not change.';

export function MachineTime(): ReactNode {
  if (useClockAhead() === 0) return null;
  return (
    <>
      {' '}
      <span className={classes['mark']} title={WHY}>
        machine time
      </span>
    </>
  );
}
