// The customer of the page, in the URL under the API's own name: an id may contain any character.
export interface CustomerSearch {
  readonly customer_id: string;
}

export const customerSearch = ({ customer_id }: Record<string, unknown>): CustomerSearch => ({
  customer_id: typeof customer_id === 'string' ? customer_id : '',
});
