// A card as people know it: its network and the last four digits.
import type { ReactNode } from 'react';
import classes from './card-text.module.css';

interface ShownCard {
  readonly network: string;
  readonly last4Digits: string;
}

const NAMES: { readonly [network: string]: string } = {
  VISA: 'Visa',
  MASTERCARD: 'Mastercard',
  AMEX: 'Amex',
  DISCOVER: 'Discover',
  DINERS_CLUB: 'Diners',
  JCB: 'JCB',
  UNIONPAY: 'UnionPay',
  MAESTRO: 'Maestro',
};

const networkName = (network: string): string => NAMES[network] ?? network;

/** `Visa •••• 4242` */
export const cardText = ({ network, last4Digits }: ShownCard): string => `${networkName(network)} •••• ${last4Digits}`;

export const CardText = ({ network, last4Digits }: ShownCard): ReactNode => (
  <span className={classes['card']}>
    <span className={classes['network']} data-network={network}>
      {networkName(network)}
    </span>
    <span className="numbers">
      <span aria-hidden>•••• </span>
      <span className="sr-only">ending in </span>
      {last4Digits}
    </span>
  </span>
);
