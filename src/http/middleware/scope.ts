// 403: a right key without the scope that the operation needs, which the answer names (contract §2).
import type { KeyHolder } from '../../commands/authenticate.ts';
import { type Refusal, refuse } from '../errors.ts';

/** The nine scopes of the specification, section 5. */
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

export const checkScope = ({ scopes }: KeyHolder, needed: Scope): Refusal | undefined =>
  scopes.has(needed) ? undefined : refuse('InsufficientScope', `The API key lacks the scope ${needed}.`);
