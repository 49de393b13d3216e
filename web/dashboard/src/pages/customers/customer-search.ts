// The customer of the page, or the filter of the list, in the URL: an id may contain any character.
export interface CustomerSearch {
  readonly customer_id?: string;
  /** A customer id or a whole e-mail address. */
  readonly text?: string;
}

const isGiven = (value: unknown): value is string => typeof value === 'string' && value !== '';

export const customerSearch = ({ customer_id, text }: Record<string, unknown>): CustomerSearch =>
  isGiven(customer_id) ? { customer_id } : isGiven(text) ? { text } : {};
