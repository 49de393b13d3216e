// Any days: two of them in a calendar, UTC.
import '@mantine/dates/styles.layer.css';
import { DatePickerInput, type DatesRangeValue } from '@mantine/dates';
import { CalendarIcon } from '@radix-ui/react-icons';
import { type ReactNode, useState } from 'react';
import { whenText } from '../../parts/when.tsx';
import type { Overview } from './figures.ts';
import classes from './overview.module.css';
import type { Period } from './period.ts';

interface DayRangeProps {
  /** Undefined while it is loaded. */
  readonly overview: Overview | undefined;
  readonly onChange: (period: Period) => void;
}

export function DayRange({ overview, onChange }: DayRangeProps): ReactNode {
  const [half, setHalf] = useState<string | null>(null);
  const choose = ([first, last]: DatesRangeValue<string>): void => {
    setHalf(last === null ? first : null);
    if (first !== null && last !== null) onChange({ from: first, to: last });
  };
  return (
    <DatePickerInput
      className={classes['range'] ?? ''}
      type="range"
      title="Days of the period, in UTC"
      placeholder="Days"
      leftSection={<CalendarIcon aria-hidden />}
      valueFormatter={({ date }) => daysText(date)}
      allowSingleDateInRange
      {...(overview !== undefined && { maxDate: overview.asOf.slice(0, 10) })}
      value={half === null ? [overview?.from ?? null, overview?.to ?? null] : [half, null]}
      onChange={choose}
      size="xs"
    />
  );
}

/** Days as the other pages write them; the picker has a day as YYYY-MM-DD. */
const daysText = (days: unknown): string =>
  [days]
    .flat()
    .flatMap((day) => (typeof day === 'string' ? [whenText({ ms: Date.parse(`${day}T00:00`), as: 'day' })] : []))
    .join(' – ');
