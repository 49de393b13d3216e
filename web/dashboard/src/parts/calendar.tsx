// A calendar in which two clicks choose a range of days. It is loaded when it is opened (late-calendar.ts).
import { DatePicker } from '@mantine/dates';
import '@mantine/dates/styles.layer.css';
import { type ReactNode, useState } from 'react';

/** All days are `YYYY-MM-DD`. */
interface CalendarProps {
  readonly from: string | null;
  readonly to: string | null;
  /** The last day that can be chosen. */
  readonly latest: string | undefined;
  /** Both days count, and may be the same. */
  readonly onChoose: (from: string, to: string) => void;
}

const ARROWS = {
  nextMonth: 'Next month',
  previousMonth: 'Previous month',
  nextYear: 'Next year',
  previousYear: 'Previous year',
  nextDecade: 'Next decade',
  previousDecade: 'Previous decade',
};

export function Calendar({ from, to, latest, onChoose }: CalendarProps): ReactNode {
  const [first, setFirst] = useState<string | null>(null);
  const shown = from ?? latest;
  return (
    <DatePicker
      type="range"
      allowSingleDateInRange
      hideOutsideDates
      // Weekends are not the same everywhere, and red text on white is hard to read.
      weekendDays={[]}
      ariaLabels={ARROWS}
      {...(latest !== undefined && { maxDate: latest })}
      {...(shown !== undefined && { defaultDate: shown })}
      value={first === null ? [from, to] : [first, null]}
      onChange={([begin, end]) => {
        setFirst(end === null ? begin : null);
        if (begin !== null && end !== null) onChoose(begin, end);
      }}
    />
  );
}
