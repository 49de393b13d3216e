// A postal address in lines of one or two parts, without the members that it lacks.
import type { components } from '../../app/api-types.d.ts';

type Address = components['schemas']['AnsweredAddress'];

export function addressLines(address: Address | undefined): readonly (readonly string[])[] {
  if (address === undefined) return [];
  const { firstName, lastName, addressLine1, addressLine2, postalCode, city, state, countryCode } = address;
  const lines = [[firstName, lastName], [addressLine1], [addressLine2], [postalCode, city], [state], [countryCode]];
  return lines
    .map((parts) => parts.filter((part) => part !== undefined).filter((part) => part !== ''))
    .filter((parts) => parts.length > 0);
}
