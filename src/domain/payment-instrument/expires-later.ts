// Which of two cards is valid for longer.

/** Four digits of the year, two of the month. */
interface Expiry {
  readonly expirationYear: string;
  readonly expirationMonth: string;
}

/** Whether `card` is valid for longer than `other`. */
export const expiresLater = (card: Expiry, other: Expiry): boolean =>
  card.expirationYear + card.expirationMonth > other.expirationYear + other.expirationMonth;
