// A range of days in the viewer's own time zone, for the URL as moments. Business time decides which day is today.
import { Button, Group, Popover, Stack } from '@mantine/core';
import { DatePicker } from '@mantine/dates';
import '@mantine/dates/styles.layer.css';
import { CalendarIcon } from '@radix-ui/react-icons';
import { type ReactNode, useState } from 'react';
import { businessNow } from '../app/business-time.ts';
import { whenText } from './when.tsx';

interface Days {
  readonly from_date?: string;
  readonly to_date?: string;
}

interface DayRangeProps {
  readonly search: Days;
  /** Without members: any day. */
  readonly onChange: (days: Days) => void;
}

const PRESETS = [
  { label: 'Today', days: 1 },
  { label: '7 days', days: 7 },
  { label: '30 days', days: 30 },
] as const;

/** Midnight here, at the beginning of a day `YYYY-MM-DD`. */
const beginningOf = (day: string): Date => new Date(`${day}T00:00:00`);
/** Its last millisecond: ranges of the API have both ends. */
function endOf(day: string): Date {
  const next = beginningOf(day);
  next.setDate(next.getDate() + 1); // a day may have 23 or 25 hours
  return new Date(next.getTime() - 1);
}
function dayOf(ms: number): string {
  const date = new Date(ms);
  const two = (number: number): string => String(number).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
function daysBefore(day: string, days: number): string {
  const date = beginningOf(day);
  date.setDate(date.getDate() - days);
  return dayOf(date.getTime());
}
const dayIn = (time: string | undefined): string | null => {
  const ms = time === undefined ? Number.NaN : Date.parse(time);
  return Number.isNaN(ms) ? null : dayOf(ms);
};

export function DayRange({ search, onChange }: DayRangeProps): ReactNode {
  const { from_date, to_date } = search;
  const [isOpen, setOpen] = useState(false);
  const [first, setFirst] = useState<string | null>(null);
  const today = dayOf(businessNow());
  const set = (from: string, to: string): void => {
    onChange({ from_date: beginningOf(from).toISOString(), to_date: endOf(to).toISOString() });
    setOpen(false);
    setFirst(null);
  };
  const shown: [string | null, string | null] = first === null ? [dayIn(from_date), dayIn(to_date)] : [first, null];
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-start" shadow="md" trapFocus returnFocus>
      <Popover.Target>
        <Button
          variant="default"
          leftSection={<CalendarIcon />}
          onClick={() => setOpen(!isOpen)}
          aria-expanded={isOpen}
        >
          {labelOf(from_date, to_date)}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="sm">
          <Group gap="xs">
            {PRESETS.map(({ label, days }) => (
              <Button
                key={label}
                variant="light"
                size="compact-sm"
                onClick={() => set(daysBefore(today, days - 1), today)}
              >
                {label}
              </Button>
            ))}
            {(from_date ?? to_date) !== undefined && (
              <Button
                variant="subtle"
                size="compact-sm"
                onClick={() => {
                  onChange({});
                  setOpen(false);
                }}
              >
                Any day
              </Button>
            )}
          </Group>
          <DatePicker
            type="range"
            allowSingleDateInRange
            maxDate={today}
            defaultDate={shown[0] ?? today}
            value={shown}
            onChange={([from, to]) => (from !== null && to !== null ? set(from, to) : setFirst(from))}
          />
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

function labelOf(from: string | undefined, to: string | undefined): string {
  const text = (time: string): string => whenText({ ms: Date.parse(time), as: 'day' });
  const [first, last] = [from, to].map((time) =>
    time === undefined || Number.isNaN(Date.parse(time)) ? undefined : text(time),
  );
  if (first === undefined) return last === undefined ? 'Any day' : `Until ${last}`;
  if (last === undefined) return `Since ${first}`;
  return first === last ? first : `${first} – ${last}`;
}
