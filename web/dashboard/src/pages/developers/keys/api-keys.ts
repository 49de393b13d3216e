// The calls about API keys, and the words for what each scope permits.
import { queryOptions } from '@tanstack/react-query';
import { answerOf, api } from '../../../app/api.ts';
import type { components } from '../../../app/api-types.d.ts';
import { withConfirmedPassword } from '../../../app/confirm-password.tsx';
import { queries } from '../../../app/queries.ts';
import { KEYS } from '../../../app/query-keys.ts';
import { under } from '../../../app/request-key.ts';

export type ApiKey = components['schemas']['ManagedKey'];
export type ApiKeyMade = components['schemas']['ManagedKeyMade'];
type NewApiKey = components['schemas']['NewManagedKey'];
type NewManagementKey = components['schemas']['NewManagementKey'];
export type Scope = ApiKey['scopes'][number];

export const keysQuery = queryOptions({
  queryKey: [KEYS.apiKeys],
  queryFn: ({ signal }) => answerOf(api.GET('/dashboard/api/keys', { signal })),
});

/** Runs a change, asks for the password again if the server requires it, and reloads the list. */
async function change<Answer>(run: () => Promise<{ readonly data?: Answer }>): Promise<Answer> {
  const answer = await withConfirmedPassword(() => answerOf(run()));
  await queries.invalidateQueries(keysQuery);
  return answer;
}

const of = (id: string) => ({ params: { path: { id } } });

export const createKey = (body: NewApiKey, key: string): Promise<ApiKeyMade> =>
  change(() => api.POST('/dashboard/api/keys', { body, ...under(key) }));

export const createManagementKey = (body: NewManagementKey, key: string): Promise<ApiKeyMade> =>
  change(() => api.POST('/dashboard/api/management-keys', { body, ...under(key) }));

export const setScopes = (id: string, scopes: readonly Scope[]): Promise<ApiKey> =>
  change(() => api.POST('/dashboard/api/keys/{id}/scopes', { ...of(id), body: { scopes: [...scopes] } }));

/** `overlapMs`: how long the previous key keeps working, in ms. */
export const rotateKey = ({ id, purpose }: ApiKey, overlapMs: number, key: string): Promise<ApiKeyMade> =>
  change(() => {
    const asked = { ...of(id), body: { overlapMs }, ...under(key) };
    return purpose === 'management'
      ? api.POST('/dashboard/api/management-keys/{id}/rotate', asked)
      : api.POST('/dashboard/api/keys/{id}/rotate', asked);
  });

export const revokeKey = ({ id, purpose }: ApiKey): Promise<ApiKey> =>
  change(() => {
    const asked = { ...of(id), body: {} };
    return purpose === 'management'
      ? api.POST('/dashboard/api/management-keys/{id}/revoke', asked)
      : api.POST('/dashboard/api/keys/{id}/revoke', asked);
  });

interface ScopeGroup {
  readonly label: string;
  /** A description of what a key with the scope may do. */
  readonly scopes: readonly (readonly [Scope, string])[];
}

export const SCOPE_GROUPS: readonly ScopeGroup[] = [
  {
    label: 'Payments',
    scopes: [
      ['transactions:retrieve', 'Read payments and their history.'],
      ['transactions:authorize', 'Create payments: charge a card or hold an amount.'],
      ['transactions:capture', 'Capture authorized amounts: this collects the money.'],
      ['transactions:cancel', 'Cancel payments that have not been captured.'],
      ['transactions:refund', 'Refund captured amounts.'],
    ],
  },
  {
    label: 'Checkout',
    scopes: [['client_tokens:write', 'Create, read and update client sessions, and issue tokens for the checkout.']],
  },
  {
    label: 'Payment instruments',
    scopes: [
      ['payment_instrument:read', 'Read saved cards. Card numbers are always masked.'],
      ['payment_instrument:write', 'Save a card for a customer, choose the default card, delete cards.'],
    ],
  },
  {
    label: 'Notifications',
    scopes: [
      [
        'third_party:webhook_trigger',
        'Send notifications on behalf of a processor. In test mode, also control the sandbox.',
      ],
    ],
  },
];

interface ScopeTemplate {
  readonly label: string;
  readonly scopes: readonly Scope[];
}

/** What most keys are for. */
export const SCOPE_TEMPLATES: readonly ScopeTemplate[] = [
  {
    label: 'Shop backend',
    scopes: [
      'client_tokens:write',
      'transactions:authorize',
      'transactions:retrieve',
      'transactions:capture',
      'transactions:cancel',
      'payment_instrument:read',
      'payment_instrument:write',
    ],
  },
  {
    label: 'Back office',
    scopes: ['transactions:retrieve', 'transactions:capture', 'transactions:cancel', 'transactions:refund'],
  },
  { label: 'Read only', scopes: ['transactions:retrieve', 'payment_instrument:read'] },
  { label: 'Processor notifications', scopes: ['third_party:webhook_trigger'] },
];

export const ALL_SCOPES: readonly Scope[] = SCOPE_GROUPS.flatMap(({ scopes }) => scopes.map(([scope]) => scope));
