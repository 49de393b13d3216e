// The queries of a payment's page about its past, and the moment in the page's URL.
import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../../app/api.ts';
import type { components } from '../../app/api-types.d.ts';
import { KEYS } from '../../app/query-keys.ts';

type Schemas = components['schemas'];
export type WhyStep = Schemas['PaymentWhy']['data'][number];

interface PastSearch {
  /** The page shows the payment as it was after the event at this revision. */
  readonly after?: number;
}

/** Anything else in the address is left out. */
export function pastSearch({ after }: Readonly<Record<string, unknown>>): PastSearch {
  const revision =
    typeof after === 'number'
      ? after
      : typeof after === 'string' && /^\d{1,9}$/.test(after)
        ? Number(after)
        : undefined;
  return revision === undefined ? {} : { after: revision };
}

/** The past does not change. */
export const thenQuery = (id: string, revision: number) =>
  queryOptions({
    queryKey: [KEYS.payments, 'then', id, revision],
    queryFn: ({ signal }) =>
      answerOf(
        api.GET('/dashboard/api/payments/{id}/after/{revision}', { params: { path: { id, revision } }, signal }),
      ),
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: (before) => before,
  });

/** `version` of the payment: its chain is asked again when it has changed. */
export const whyQuery = (id: string, version: number) =>
  queryOptions({
    queryKey: [KEYS.payments, 'why', id, version],
    queryFn: ({ signal }) =>
      answerOf(api.GET('/dashboard/api/payments/{id}/why', { params: { path: { id } }, signal })),
    placeholderData: (before) => before,
  });

/** The steps from the origin to an event. Each step is the cause that the next one names. */
export function chainOf(steps: readonly WhyStep[], revision: number): readonly WhyStep[] {
  const byId = new Map(steps.map((step) => [step.id, step]));
  const chain: WhyStep[] = [];
  let step = steps.find((one) => one.revision === revision);
  while (step !== undefined && !chain.includes(step)) {
    chain.unshift(step);
    step = step.causedBy === undefined ? undefined : byId.get(step.causedBy);
  }
  return chain;
}
