// The address of the page of events: the stream that is shown, or the list with the service's own events.
import { operationsSearch } from '../operations/operations-search.ts';

interface EventsSearch {
  /** The stream that is shown: a name, or the id of its subject. */
  readonly stream?: string;
  /** The event at which the stream is shown. */
  readonly revision?: number;
  /** The list has the service's own events. */
  readonly show?: 'all';
}

/** Anything else in the address is left out. */
export function eventsSearch({ show, ...search }: Readonly<Record<string, unknown>>): EventsSearch {
  const { stream, revision } = operationsSearch(search);
  return {
    ...(stream !== undefined && { stream }),
    ...(revision !== undefined && { revision }),
    ...(show === 'all' && { show }),
  };
}
