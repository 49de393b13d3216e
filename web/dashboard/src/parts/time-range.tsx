// A range of time in the viewer's own zone, for the URL as moments: the last minutes or hours, whole days, or any two
// moments. Business time decides what is now, and which day is today.
import { Button, Group, Popover, Stack, TextInput } from '@mantine/core';
import { CalendarIcon } from '@radix-ui/react-icons';
import { type ReactNode, useState } from 'react';
import { businessNow } from '../app/business-time.ts';
import { LateCalendar } from './late-calendar.ts';
import classes from './time-range.module.css';
import { whenText } from './when.tsx';

/** RFC 3339; both ends count. */
export interface Times {
  readonly from_date?: string;
  readonly to_date?: string;
}

interface TimeRangeProps {
  readonly search: Times;
  /** Without members: any time. */
  readonly onChange: (times: Times) => void;
  readonly size?: 'xs' | 'sm';
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const LAST = [
  { label: 'Last 15 min', ms: 15 * MINUTE_MS },
  { label: 'Last hour', ms: HOUR_MS },
  { label: 'Last day', ms: 24 * HOUR_MS },
] as const;
const DAYS = [
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
/** Undefined for a time that no page can show: an address may contain anything. */
const msOf = (time: string | undefined): number | undefined => {
  const ms = time === undefined ? Number.NaN : Date.parse(time);
  return Number.isNaN(ms) ? undefined : ms;
};
const dayIn = (time: string | undefined): string | null => {
  const ms = msOf(time);
  return ms === undefined ? null : dayOf(ms);
};

export function TimeRange({ search, onChange, size = 'sm' }: TimeRangeProps): ReactNode {
  const { from_date, to_date } = search;
  const [isOpen, setOpen] = useState(false);
  const today = dayOf(businessNow());
  const set = (times: Times): void => {
    onChange(times);
    setOpen(false);
  };
  const setDays = (from: string, to: string): void =>
    set({ from_date: beginningOf(from).toISOString(), to_date: endOf(to).toISOString() });
  const setLast = (ms: number): void => set({ from_date: new Date(wholeSecond(businessNow() - ms)).toISOString() });
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-start" shadow="md" trapFocus returnFocus>
      <Popover.Target>
        <Button
          variant="default"
          size={size}
          leftSection={<CalendarIcon />}
          onClick={() => setOpen(!isOpen)}
          aria-expanded={isOpen}
        >
          {labelOf(msOf(from_date), msOf(to_date))}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="sm">
          <Group gap="xs">
            {LAST.map(({ label, ms }) => (
              <Preset key={label} label={label} onChoose={() => setLast(ms)} />
            ))}
          </Group>
          <Group gap="xs">
            {DAYS.map(({ label, days }) => (
              <Preset key={label} label={label} onChoose={() => setDays(daysBefore(today, days - 1), today)} />
            ))}
            {(from_date ?? to_date) !== undefined && (
              <Button variant="subtle" size="compact-sm" onClick={() => set({})}>
                Any time
              </Button>
            )}
          </Group>
          <LateCalendar from={dayIn(from_date)} to={dayIn(to_date)} latest={today} onChoose={setDays} />
          <Moment name="From" value={from_date} onChange={(time) => onChange(timesOf(time, to_date))} />
          <Moment name="To" value={to_date} onChange={(time) => onChange(timesOf(from_date, time))} />
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

const Preset = ({ label, onChoose }: { readonly label: string; readonly onChoose: () => void }): ReactNode => (
  <Button variant="light" size="compact-sm" onClick={onChoose}>
    {label}
  </Button>
);

const wholeSecond = (ms: number): number => ms - (ms % SECOND_MS);

const timesOf = (from: string | undefined, to: string | undefined): Times => ({
  ...(from !== undefined && { from_date: from }),
  ...(to !== undefined && { to_date: to }),
});

interface MomentProps {
  readonly name: 'From' | 'To';
  /** RFC 3339. */
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}

/** A moment to the second. */
function Moment({ name, value, onChange }: MomentProps): ReactNode {
  const ms = msOf(value);
  return (
    <TextInput
      type="datetime-local"
      step={1}
      size="xs"
      aria-label={name}
      leftSection={<span className={classes['name']}>{name}</span>}
      leftSectionWidth={48}
      value={ms === undefined ? '' : localText(ms)}
      onChange={({ currentTarget: { value: chosen } }) => {
        const chosenMs = msOf(chosen);
        onChange(
          chosenMs === undefined ? undefined : new Date(name === 'To' ? chosenMs + 999 : chosenMs).toISOString(),
        );
      }}
    />
  );
}

/** `2026-11-27T14:05:00`: the form that the field takes. */
function localText(ms: number): string {
  const offsetMs = new Date(ms).getTimezoneOffset() * MINUTE_MS;
  return new Date(ms - offsetMs).toISOString().slice(0, 'YYYY-MM-DDTHH:mm:ss'.length);
}

/** Whole days by their names, any other range by its moments. */
function labelOf(from: number | undefined, to: number | undefined): string {
  const isOfDays =
    (from === undefined || beginningOf(dayOf(from)).getTime() === from) &&
    (to === undefined || endOf(dayOf(to)).getTime() === to);
  const text = (ms: number): string => whenText({ ms, as: isOfDays ? 'day' : 'minute' });
  if (from === undefined) return to === undefined ? 'Any time' : `Until ${text(to)}`;
  if (to === undefined) return `Since ${text(from)}`;
  return text(from) === text(to) ? text(from) : `${text(from)} – ${text(to)}`;
}
