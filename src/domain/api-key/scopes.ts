// The nine scopes of API keys; these are all (contract §2).
import { z } from 'zod';

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

export const Scope = z.enum(SCOPES);
export type Scope = z.infer<typeof Scope>;

/** Each once, in the order of the list: two lists of the same scopes are equal. */
export const inOrder = (scopes: readonly Scope[]): Scope[] => SCOPES.filter((scope) => scopes.includes(scope));
