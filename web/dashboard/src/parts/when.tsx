// A moment in the viewer's own time zone, with UTC beside it in the title.
import type { ReactNode } from 'react';
import { businessNow } from '../app/business-time.ts';

interface WhenProps {
  readonly ms: number;
  /** `minute` is the default; `second` for logs; `time` without the day; `zoned` for a time that others are told. */
  readonly as?: 'minute' | 'second' | 'day' | 'time' | 'zoned';
}

const DAY: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'short' };
const TIME: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };
const MINUTE: Intl.DateTimeFormatOptions = { ...DAY, ...TIME };
const SECOND: Intl.DateTimeFormatOptions = { ...MINUTE, second: '2-digit' };
const ZONED: Intl.DateTimeFormatOptions = { ...MINUTE, timeZoneName: 'short' };
const YEAR: Intl.DateTimeFormatOptions = { year: 'numeric' };
const format = (options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat(undefined, options);
/** Without the year for a day of this year. */
const SHORT = {
  day: format(DAY),
  minute: format(MINUTE),
  second: format(SECOND),
  time: format(TIME),
  zoned: format(ZONED),
} as const;
const LONG = {
  day: format({ ...DAY, ...YEAR }),
  minute: format({ ...MINUTE, ...YEAR }),
  second: format({ ...SECOND, ...YEAR }),
  time: format(TIME),
  zoned: format({ ...ZONED, ...YEAR }),
} as const;

/** `2026-11-22 12:03:09 UTC` */
export const utcText = (ms: number): string =>
  new Date(ms)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, ' UTC');

export const whenText = ({ ms, as = 'minute' }: WhenProps): string =>
  (new Date(ms).getFullYear() === new Date(businessNow()).getFullYear() ? SHORT : LONG)[as].format(ms);

export const When = ({ ms, as = 'minute' }: WhenProps): ReactNode => (
  <time className="numbers" dateTime={new Date(ms).toISOString()} title={utcText(ms)}>
    {whenText({ ms, as })}
  </time>
);

/**
 * UTC beside a time of the page, for a text that others may read: nothing where the viewer's own zone is UTC at that
 * time.
 */
export const UtcBeside = ({
  ms,
  className,
}: {
  readonly ms: number;
  readonly className?: string | undefined;
}): ReactNode => (new Date(ms).getTimezoneOffset() === 0 ? null : <span className={className}>{utcText(ms)}</span>);
