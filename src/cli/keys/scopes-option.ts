// The scopes that a command names: `a,b`, or `all`.
import { InvalidArgumentError } from 'commander';
import { inOrder, SCOPES, type Scope } from '../../domain/api-key/scopes.ts';

const isScope = (name: string): name is Scope => SCOPES.some((scope) => scope === name);

/** For commander; an empty list, or an unknown scope, is wrong usage. */
export function parseScopes(text: string): readonly Scope[] {
  if (text === 'all') return SCOPES;
  const names = text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const scopes = names.filter(isScope);
  if (scopes.length === 0 || scopes.length < names.length)
    throw new InvalidArgumentError(`Allowed are all, or some of: ${SCOPES.join(', ')}.`);
  return inOrder(scopes);
}
