// The deadline of a dispute, and the time that is left: red on the last day and in the last hour.
import { type ReactNode, useEffect, useState } from 'react';
import { businessNow } from '../../app/business-time.ts';
import { durationText } from '../../parts/duration.ts';
import { When, whenText } from '../../parts/when.tsx';
import classes from './due.module.css';

const HOUR_MS = 3_600_000;

/** `in 16 h · 28 Nov, 14:05`, or `passed · 28 Nov, 14:05`. `ms`: the deadline, by the business clock. */
export function Due({ ms }: { readonly ms: number }): ReactNode {
  const now = useMinutes();
  const isOver = ms <= now;
  const isToday = whenText({ ms, as: 'day' }) === whenText({ ms: now, as: 'day' });
  const isUrgent = isToday || ms - now < HOUR_MS;
  return (
    <span className={classes['due']} data-urgent={isUrgent || undefined}>
      <strong>{isOver ? 'passed' : `in ${durationText(ms - now)}`}</strong>
      {' · '}
      <When ms={ms} />
    </span>
  );
}

/** Business time, in ms, read again each minute, and with each response that renders the page. */
function useMinutes(): number {
  const [, setTold] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setTold((told) => told + 1), 60_000);
    return () => clearInterval(timer);
  }, []);
  return businessNow();
}
