// Any days: two of them in a calendar, UTC.
import { Button, Popover } from '@mantine/core';
import { CalendarIcon } from '@radix-ui/react-icons';
import { type ReactNode, useState } from 'react';
import { LateCalendar } from '../../parts/late-calendar.ts';
import { whenText } from '../../parts/when.tsx';
import type { Overview } from './figures.ts';
import type { Period } from './period.ts';

interface DayRangeProps {
  /** Undefined while it is loaded. */
  readonly overview: Overview | undefined;
  readonly onChange: (period: Period) => void;
}

export function DayRange({ overview, onChange }: DayRangeProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const { from = null, to = null, asOf } = overview ?? {};
  const days = [from, to].flatMap((day) => (day === null ? [] : [dayText(day)]));
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-end" shadow="md" trapFocus returnFocus>
      <Popover.Target>
        <Button
          variant="default"
          size="xs"
          fw={400}
          leftSection={<CalendarIcon aria-hidden />}
          title="Days of the period, in UTC"
          onClick={() => setOpen(!isOpen)}
          aria-expanded={isOpen}
        >
          {days.length === 0 ? 'Days' : days.join(' – ')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <LateCalendar
          from={from}
          to={to}
          latest={asOf?.slice(0, 'YYYY-MM-DD'.length)}
          onChoose={(first, last) => {
            onChange({ from: first, to: last });
            setOpen(false);
          }}
        />
      </Popover.Dropdown>
    </Popover>
  );
}

/** A day as the other pages write it. */
const dayText = (day: string): string => whenText({ ms: Date.parse(`${day}T00:00`), as: 'day' });
