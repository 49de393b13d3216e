// The issuer's checks of address and security code, by values that a developer chooses (contract §10).
import type { Check } from '../../domain/payment/outcome.ts';

const ADDRESS: ReadonlyMap<string, Check> = new Map([
  ['00001', 'NO_MATCH'],
  ['00002', 'UNAVAILABLE'],
]);

/** By the postal code; an address without one cannot be checked. */
export function avsResultOf(address: object | undefined): Check {
  const code =
    address !== undefined && 'postalCode' in address && typeof address.postalCode === 'string'
      ? address.postalCode.trim()
      : '';
  return code === '' ? 'NOT_CHECKED' : (ADDRESS.get(code) ?? 'MATCH');
}

/** The code itself is kept nowhere: of a token this is remembered. */
export const cvcResultOf = (cvc: string): Check => (cvc === '999' ? 'NO_MATCH' : 'MATCH');
