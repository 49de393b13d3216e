// A postal address in lines, without the members that it lacks.
import type { components } from '../../app/api-types.d.ts';

type Address = components['schemas']['AnsweredAddress'];

export function addressLines(address: Address | undefined): readonly string[] {
  if (address === undefined) return [];
  const { firstName, lastName, addressLine1, addressLine2, postalCode, city, state, countryCode } = address;
  const joined = (...parts: readonly (string | undefined)[]): string =>
    parts.filter((part) => part !== undefined && part !== '').join(' ');
  return [
    joined(firstName, lastName),
    joined(addressLine1),
    joined(addressLine2),
    joined(postalCode, city),
    joined(state),
    joined(countryCode),
  ].filter((line) => line !== '');
}
