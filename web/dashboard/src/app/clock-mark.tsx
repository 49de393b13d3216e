// The top bar's mark of a business clock that was moved: its day, and how far it is ahead of the machine's clock.
import type { ReactNode } from 'react';
import { durationText } from '../parts/duration.ts';
import { PathLink } from '../parts/path-link.tsx';
import { whenText } from '../parts/when.tsx';
import { businessNow, useClockAhead } from './business-time.ts';
import classes from './frame.module.css';
import { useMay } from './session.tsx';

const WHY = 'The business clock was moved. Times on these pages are of it; others are marked as machine time.';

export function ClockMark(): ReactNode {
  const aheadMs = useClockAhead();
  const mayMove = useMay('owner', 'developer');
  if (aheadMs === 0) return null;
  const words = (
    <>
      <span className={classes['clockDay']}>Clock: {whenText({ ms: businessNow(), as: 'day' })}, </span>+
      {durationText(aheadMs)}
    </>
  );
  return mayMove ? (
    <PathLink path="/developers/sandbox?tab=clock" className={classes['clock']} title={WHY}>
      {words}
    </PathLink>
  ) : (
    <span className={classes['clock']} title={WHY}>
      {words}
    </span>
  );
}
