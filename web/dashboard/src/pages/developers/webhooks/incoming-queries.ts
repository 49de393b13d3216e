// The calls about incoming URLs, for processors that cannot send a header.
import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../../../app/api.ts';
import type { components } from '../../../app/api-types.d.ts';
import { withConfirmedPassword } from '../../../app/confirm-password.tsx';
import { queries } from '../../../app/queries.ts';
import { KEYS } from '../../../app/query-keys.ts';
import { under } from '../../../app/request-key.ts';

type Schemas = components['schemas'];
export type IncomingUrl = Schemas['DashboardIncomingWebhooks']['data'][number];
export type IncomingMade = Schemas['DashboardIncomingWebhookMade'];
type NewIncoming = Schemas['DashboardNewIncomingWebhook'];

/** The URLs belong to API keys, so a change of a key makes them stale. */
export const incomingQuery = queryOptions({
  queryKey: [KEYS.apiKeys, 'incoming'],
  queryFn: ({ signal }) => answerOf(api.GET('/dashboard/api/webhooks/incoming', { signal })),
});

async function change<Answer>(run: () => Promise<{ readonly data?: Answer }>): Promise<Answer> {
  const answer = await withConfirmedPassword(() => answerOf(run()));
  await queries.invalidateQueries(incomingQuery);
  return answer;
}

/** `key`: the idempotency key of the URL that the user wants. */
export const makeIncoming = (body: NewIncoming, key: string): Promise<IncomingMade> =>
  change(() => api.POST('/dashboard/api/webhooks/incoming', { body, ...under(key) }));

export const revokeIncoming = (id: string): Promise<unknown> =>
  change(() => api.POST('/dashboard/api/webhooks/incoming/{id}/revoke', { params: { path: { id } }, body: {} }));
