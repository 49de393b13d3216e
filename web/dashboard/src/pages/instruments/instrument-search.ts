// The filter of the payment instruments, in the URL under the API's own name.
export interface InstrumentSearch {
  readonly customer_id?: string;
}

export const instrumentSearch = ({ customer_id }: Record<string, unknown>): InstrumentSearch =>
  typeof customer_id === 'string' && customer_id !== '' ? { customer_id } : {};
