// The calls about the rules of routing.
import { queryOptions } from '@tanstack/react-query';
import { type Asking, answerOf, api } from '../../../app/api.ts';
import type { components } from '../../../app/api-types.d.ts';
import { withConfirmedPassword } from '../../../app/confirm-password.tsx';
import { queries } from '../../../app/queries.ts';
import { KEYS } from '../../../app/query-keys.ts';

type Schemas = components['schemas'];
export type Routing = Schemas['DashboardRouting'];
export type RoutingVersion = Routing['versions'][number];
export type Rules = NonNullable<RoutingVersion['rules']>;
export type Target = Rules['default'];
export type Tried = Schemas['DashboardRoutingTried'];

const readRouting = ({ signal }: Asking) => answerOf(api.GET('/dashboard/api/routing', { signal }));
export const routingQuery = queryOptions({ queryKey: [KEYS.routing], queryFn: readRouting });

/** `rules`: null removes them. `version`: what the user saw, 0 for none. */
export async function setRules(rules: Record<string, unknown> | null, version: number): Promise<void> {
  const set = await withConfirmedPassword(() =>
    answerOf(api.PUT('/dashboard/api/routing', { body: { rules, version } })),
  );
  queries.setQueryData(routingQuery.queryKey, set);
}

export const tryRules = (rules: Record<string, unknown>, days: number): Promise<Tried> =>
  answerOf(api.POST('/dashboard/api/routing/test', { body: { rules, days } }));
