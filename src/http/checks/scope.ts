// 403: a right key without the scope of the operation. The answer names the scope (contract §2).
import type { KeyHolder } from '../../commands/access/authenticate.ts';
import type { Scope } from '../../domain/api-key/scopes.ts';
import { type Refusal, refuse } from '../errors.ts';

export const checkScope = ({ scopes }: KeyHolder, needed: Scope): Refusal | undefined =>
  scopes.has(needed) ? undefined : refuse('InsufficientScope', `The API key lacks the scope ${needed}.`);
