// The roles of the dashboard's users. A route names the roles that may call it; no role contains another.
import { SCOPES, type Scope } from '../api-key/scopes.ts';

export const ROLES = ['owner', 'developer', 'support', 'auditor'] as const;

export type Role = (typeof ROLES)[number];

/**
 * The scopes of a key that could do the same as a user of the role: a management key that invites the user sees the
 * welcome link, so the role must not exceed what the key may grant. A developer creates keys of any scope. A person who
 * sees a payment link can get the client token of its session.
 */
export const SCOPES_OF_ROLE: { readonly [role in Exclude<Role, 'owner'>]: readonly Scope[] } = {
  developer: SCOPES,
  support: [
    'client_tokens:write',
    'transactions:authorize',
    'transactions:cancel',
    'transactions:capture',
    'transactions:retrieve',
    'transactions:refund',
    'payment_instrument:read',
  ],
  auditor: ['client_tokens:write', 'transactions:retrieve', 'payment_instrument:read'],
};
