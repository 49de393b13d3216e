// The work that waits for a person: counts, their words, and the lists that have as many rows.
import { queryOptions, useQuery } from '@tanstack/react-query';
import { answerOf, api } from './api.ts';
import type { components } from './api-types.d.ts';
import { KEYS } from './query-keys.ts';

type Counted = components['schemas']['DashboardNeeds']['data'][number];

/** Parked streams are not events, and time alone makes an outcome unknown. */
const REFRESH_MS = 30_000;

const needsQuery = queryOptions({
  queryKey: [KEYS.needs],
  queryFn: ({ signal }) => answerOf(api.GET('/dashboard/api/needs', { signal })),
  refetchInterval: REFRESH_MS,
});

interface NeedPlace {
  /** The list, with the filter that gives it as many rows. */
  readonly path: string;
  /** The entry of the navigation that has the count. */
  readonly entry: string;
  readonly one: string;
  readonly many: string;
}

const PLACES: { readonly [kind: string]: NeedPlace } = {
  disputes: {
    path: '/disputes?status=OPEN',
    entry: '/disputes',
    one: 'dispute needs a response',
    many: 'disputes need a response',
  },
  failing_endpoints: {
    path: '/developers/webhooks?health=failing',
    entry: '/developers/webhooks',
    one: 'webhook endpoint fails',
    many: 'webhook endpoints fail',
  },
  unknown_outcomes: {
    path: '/payments?show=unresolved',
    entry: '/payments',
    one: 'payment has an unknown outcome or needs manual action',
    many: 'payments have an unknown outcome or need manual action',
  },
  parked_streams: {
    path: '/operations?tab=parked',
    entry: '/operations',
    one: 'stream is parked',
    many: 'streams are parked',
  },
  parked_notifications: {
    path: '/operations?tab=parked',
    entry: '/operations',
    one: 'notification is parked',
    many: 'notifications are parked',
  },
};

export interface Need extends Counted, Pick<NeedPlace, 'path' | 'entry'> {
  readonly words: string;
}

/** A kind that only a newer service knows is left out. */
function needOf(counted: Counted): readonly Need[] {
  const { kind, count, isMore } = counted;
  const place = PLACES[kind];
  if (place === undefined || (count === 0 && !isMore)) return [];
  const { path, entry, one, many } = place;
  return [{ ...counted, path, entry, words: count === 1 && !isMore ? one : many }];
}

/** The work that waits for the user, or undefined before the first response. */
export const useNeeds = (): readonly Need[] | undefined => useQuery(needsQuery).data?.data.flatMap(needOf);

/** `3`, or `100+` if there may be more. */
export const needCount = ({ count, isMore }: Pick<Need, 'count' | 'isMore'>): string => `${count}${isMore ? '+' : ''}`;
