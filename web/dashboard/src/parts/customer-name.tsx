// The name of a customer, in its two parts.
import type { ReactNode } from 'react';
import type { components } from '../app/api-types.d.ts';

export type CustomerName = components['schemas']['CustomerName'];

/** As plain text: empty without a name. */
export const nameText = ({ firstName, lastName }: CustomerName): string =>
  [firstName, lastName].filter((part) => part !== undefined).join(' ');

/** Two texts, of which the first turns nothing of the second. */
export const NameOf = ({ firstName, lastName }: CustomerName): ReactNode => (
  <>
    <bdi>{firstName}</bdi> <bdi>{lastName}</bdi>
  </>
);

interface CustomerTextProps {
  readonly customerId?: string | undefined;
  readonly customerName?: CustomerName | undefined;
  /** In place of a customer of whom neither is known. */
  readonly nothing: ReactNode;
}

/** A customer in a list: the name if it is known, otherwise the id. */
export const CustomerText = ({ customerId, customerName, nothing }: CustomerTextProps): ReactNode =>
  customerName !== undefined ? (
    <NameOf {...customerName} />
  ) : customerId === undefined ? (
    nothing
  ) : (
    <bdi>{customerId}</bdi>
  );
