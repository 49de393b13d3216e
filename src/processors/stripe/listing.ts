// Stripe's own list of events: 30 days of them, the newest first.
import { z } from 'zod';
import type { Call, EventsPage, EventsQuestion } from '../processor.ts';
import type { Api } from './api.ts';
import { unreadBy } from './grading.ts';
import { EVENT_TYPES } from './notifications.ts';

/** Stripe's largest page. */
const PAGE = 100;
const Page = z.looseObject({ data: z.array(z.looseObject({ id: z.string() })), has_more: z.boolean() });

/** One request. */
export async function listEvents(api: Api, { from, after }: EventsQuestion, call: Call): Promise<EventsPage> {
  const form = [
    ['created[gte]', Math.floor(from / 1_000)],
    ...EVENT_TYPES.map((type, place) => [`types[${place}]`, type] as const),
    ['limit', PAGE],
    ['starting_after', after],
  ] as const;
  const told = await api.ask({ method: 'GET', path: '/v1/events', form, shape: Page }, call);
  if (told.kind !== 'told') return { kind: 'unreachable', detail: unreadBy(told).detail };
  const { data, has_more: hasMore } = told.value;
  return { kind: 'page', raws: data.map((one) => JSON.stringify(one)), next: hasMore ? data.at(-1)?.id : undefined };
}
