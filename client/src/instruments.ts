// Payment instruments: cards as tokens, vaulted for a customer (contract §5). Reading needs payment_instrument:read,
// the rest :write.
import type { Answered, Caller, CallOptions, WriteOptions } from './call.ts';
import { List } from './list.ts';
import type { PaymentInstrument, VaultFields } from './types.ts';

export interface Instruments {
  /** The customer's vaulted instruments; deleted ones are left out. */
  list(filter: { readonly customer_id: string }, options?: CallOptions): List<PaymentInstrument>;
  /** A deleted one can still be read; it says so in `deleted`. */
  get(token: string, options?: CallOptions): Promise<Answered<PaymentInstrument>>;
  /**
   * Keeps the card for the customer, under the same token; a card that the customer has already keeps its first token.
   */
  vault(token: string, fields: VaultFields, options?: WriteOptions): Promise<Answered<PaymentInstrument>>;
  setDefault(token: string, options?: WriteOptions): Promise<Answered<PaymentInstrument>>;
  delete(token: string, options?: WriteOptions): Promise<Answered<PaymentInstrument>>;
}

export const instrumentsOf = (caller: Caller): Instruments => ({
  list: (filter, options = {}) =>
    new List((cursor) =>
      caller.read(
        'GET /payment-instruments',
        { query: { ...filter, ...(cursor !== undefined && { cursor }) } },
        options,
      ),
    ),
  get: (token, options = {}) => caller.read('GET /payment-instruments/{token}', { path: { token } }, options),
  vault: (token, body, options = {}) =>
    caller.write('POST /payment-instruments/{token}/vault', { path: { token }, body }, options),
  setDefault: (token, options = {}) =>
    caller.write('POST /payment-instruments/{token}/default', { path: { token } }, options),
  delete: (token, options = {}) => caller.write('DELETE /payment-instruments/{token}', { path: { token } }, options),
});
