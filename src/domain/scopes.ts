// The nine scopes of API keys; these are all (contract §2).
export const SCOPES = [
  'client_tokens:write',
  'third_party:webhook_trigger',
  'transactions:authorize',
  'transactions:cancel',
  'transactions:capture',
  'transactions:retrieve',
  'transactions:refund',
  'payment_instrument:read',
  'payment_instrument:write',
] as const;

export type Scope = (typeof SCOPES)[number];

/** The access of management keys to /management: it is not a scope, and no key can be given it. */
export const MANAGEMENT = 'management';

/** Each once, in the order of the list: two lists of the same scopes are equal. */
export const inOrder = (scopes: readonly string[]): Scope[] => SCOPES.filter((scope) => scopes.includes(scope));
