// The calls about API keys, and the words for what each scope permits.
import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../../../app/api.ts';
import type { components } from '../../../app/api-types.d.ts';
import { withConfirmedPassword } from '../../../app/confirm-password.tsx';
import { queries } from '../../../app/queries.ts';
import { KEYS } from '../../../app/query-keys.ts';
import { under } from '../../../app/request-key.ts';

export type ApiKey = components['schemas']['DashboardApiKey'];
export type ApiKeyMade = components['schemas']['DashboardApiKeyMade'];
type NewApiKey = components['schemas']['DashboardNewApiKey'];
export type Scope = ApiKey['scopes'][number];

export const keysQuery = queryOptions({
  queryKey: [KEYS.apiKeys],
  queryFn: ({ signal }) => answerOf(api.GET('/dashboard/api/keys', { signal })),
});

/** Runs a change with the password given again where it is wanted, and reads the list anew. */
async function change<Answer>(run: () => Promise<{ readonly data?: Answer }>): Promise<Answer> {
  const answer = await withConfirmedPassword(() => answerOf(run()));
  await queries.invalidateQueries(keysQuery);
  return answer;
}

const of = (id: string) => ({ params: { path: { id } } });

export const createKey = (body: NewApiKey, key: string): Promise<ApiKeyMade> =>
  change(() => api.POST('/dashboard/api/keys', { body, ...under(key) }));

export const setScopes = (id: string, scopes: readonly Scope[]): Promise<ApiKey> =>
  change(() => api.POST('/dashboard/api/keys/{id}/scopes', { ...of(id), body: { scopes: [...scopes] } }));

/** `overlapMs`: for so long the text before is good as well. */
export const rotateKey = (id: string, overlapMs: number, key: string): Promise<ApiKeyMade> =>
  change(() => api.POST('/dashboard/api/keys/{id}/rotate', { ...of(id), body: { overlapMs }, ...under(key) }));

export const revokeKey = (id: string): Promise<ApiKey> =>
  change(() => api.POST('/dashboard/api/keys/{id}/revoke', { ...of(id), body: {} }));

interface ScopeGroup {
  readonly label: string;
  /** What a key with the scope may do. */
  readonly scopes: readonly (readonly [Scope, string])[];
}

export const SCOPE_GROUPS: readonly ScopeGroup[] = [
  {
    label: 'Payments',
    scopes: [
      ['transactions:retrieve', 'Read payments, and everything that happened to them.'],
      ['transactions:authorize', 'Create payments: the card is charged or the amount held.'],
      ['transactions:capture', 'Capture what is authorized: this collects the money.'],
      ['transactions:cancel', 'Cancel payments that are not captured.'],
      ['transactions:refund', 'Give captured money back.'],
    ],
  },
  {
    label: 'Checkout',
    scopes: [['client_tokens:write', 'Open, read and update client sessions, and hand their tokens to the checkout.']],
  },
  {
    label: 'Payment instruments',
    scopes: [
      ['payment_instrument:read', 'Read the customers’ cards: masked, never their numbers.'],
      ['payment_instrument:write', 'Keep a card for a customer, choose the default, delete cards.'],
    ],
  },
  {
    label: 'Notifications',
    scopes: [['third_party:webhook_trigger', 'Send in a processor’s notifications; in test mode, steer the sandbox too.']],
  },
];

export const ALL_SCOPES: readonly Scope[] = SCOPE_GROUPS.flatMap(({ scopes }) => scopes.map(([scope]) => scope));
