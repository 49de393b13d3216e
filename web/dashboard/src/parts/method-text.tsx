// What pays, as people know it: a card by its network and last four digits, another method by its name.
import type { ReactNode } from 'react';
import classes from './method-text.module.css';

/** Every member that may be known of a method: of a card, of a bank account, of an account at the method itself. */
export interface MethodData {
  readonly network?: string;
  readonly first6Digits?: string;
  readonly last4Digits?: string;
  readonly expirationMonth?: string;
  readonly expirationYear?: string;
  readonly cardholderName?: string;
  readonly wallet?: string;
  readonly bankName?: string;
  readonly ibanLast4?: string;
  readonly mandateReference?: string;
  readonly emailAddress?: string;
}
export interface ShownMethod {
  readonly paymentMethodType: string;
  readonly paymentMethodData?: MethodData;
}

const NAMES: { readonly [name: string]: string } = {
  PAYMENT_CARD: 'Card',
  OTHER: 'Other network',
  VISA: 'Visa',
  MASTERCARD: 'Mastercard',
  AMEX: 'Amex',
  DISCOVER: 'Discover',
  DINERS: 'Diners',
  UNIONPAY: 'UnionPay',
  CARTES_BANCAIRES: 'CB',
  EFTPOS_AU: 'eftpos',
  INTERAC: 'Interac',
  IDEAL: 'iDEAL',
  BANCONTACT: 'Bancontact',
  KLARNA: 'Klarna',
  PAYPAL: 'PayPal',
  SEPA_DEBIT: 'SEPA debit',
  MULTIBANCO: 'Multibanco',
  APPLE_PAY: 'Apple Pay',
  GOOGLE_PAY: 'Google Pay',
};

/** A network, a method or a wallet by the name that people know. */
export const nameOfMethod = (name: string): string => NAMES[name] ?? name;

const partsOf = ({ paymentMethodType, paymentMethodData: data = {} }: ShownMethod) => ({
  name: data.network ?? paymentMethodType,
  last4: data.last4Digits ?? data.ibanLast4,
});

/** `Visa •••• 4242`, `iDEAL` */
export function methodText(method: ShownMethod): string {
  const { name, last4 } = partsOf(method);
  return last4 === undefined ? nameOfMethod(name) : `${nameOfMethod(name)} •••• ${last4}`;
}

/** `12/2030`; undefined for what does not expire. */
export const expiryText = ({ paymentMethodData: data }: ShownMethod): string | undefined =>
  data?.expirationMonth === undefined ? undefined : `${data.expirationMonth}/${data.expirationYear}`;

export function MethodText(method: ShownMethod): ReactNode {
  const { name, last4 } = partsOf(method);
  return (
    <span className={classes['card']}>
      <span className={classes['network']} data-network={name}>
        {nameOfMethod(name)}
      </span>
      {last4 !== undefined && (
        <span className="numbers">
          <span aria-hidden>•••• </span>
          <span className="sr-only">ending in </span>
          {last4}
        </span>
      )}
    </span>
  );
}
