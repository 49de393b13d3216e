// The keyed hash of a customer's e-mail address, by which a search finds payments without an index of addresses.
import type { StoreKey } from '../../secrets.ts';

/**
 * 32 hex characters: HMAC-SHA-256 of the trimmed address in lower case, under the store key. Undefined if there is no
 * address.
 */
export function emailHashOf(storeKey: StoreKey, address: string | undefined): string | undefined {
  const told = address?.trim().toLowerCase();
  return told === undefined || told === '' ? undefined : storeKey.name('customer-email', told);
}
