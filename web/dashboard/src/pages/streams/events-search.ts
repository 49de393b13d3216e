// The address of the page of events: the stream that is shown, or the times of the list and the service's own events.
import type { Times } from '../../parts/time-range.tsx';
import { operationsSearch } from '../operations/operations-search.ts';

interface EventsSearch extends Times {
  /** The stream that is shown: a name, or the id of its subject. */
  readonly stream?: string;
  /** The event at which the stream is shown. */
  readonly revision?: number;
  /** The list has the service's own events. */
  readonly show?: 'all';
}

/** Anything else in the address is left out. */
export function eventsSearch(search: Readonly<Record<string, unknown>>): EventsSearch {
  const { stream, revision } = operationsSearch(search);
  const { show, from_date, to_date } = search;
  return {
    ...(stream !== undefined && { stream }),
    ...(revision !== undefined && { revision }),
    ...(show === 'all' && { show }),
    ...(isTime(from_date) && { from_date }),
    ...(isTime(to_date) && { to_date }),
  };
}

const isTime = (value: unknown): value is string => typeof value === 'string' && !Number.isNaN(Date.parse(value));
