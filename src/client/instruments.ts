// Payment instruments: cards as tokens, vaulted for a customer (contract §5). Reading needs payment_instrument:read,
// the rest :write.
import type { Client } from 'openapi-fetch';
import type { paths } from './api-types.ts';
import { type Answered, type Caller, type CallOptions, idInPath, type WriteOptions } from './call.ts';
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

export function instrumentsOf(api: Client<paths>, caller: Caller): Instruments {
  const pathOf = (token: string): { readonly path: { readonly token: string } } => ({
    path: { token: idInPath(token) },
  });
  return {
    list: (query, options = {}) =>
      new List(() =>
        caller.read<'listPaymentInstruments'>(options, (request) =>
          api.GET('/payment-instruments', { ...request, params: { query } }),
        ),
      ),
    async get(token, options = {}) {
      const params = pathOf(token);
      return caller.read<'getPaymentInstrument'>(options, (request) =>
        api.GET('/payment-instruments/{token}', { ...request, params }),
      );
    },
    async vault(token, body, options = {}) {
      const params = pathOf(token);
      return caller.write<'vaultPaymentInstrument'>(options, (request) =>
        api.POST('/payment-instruments/{token}/vault', { ...request, params, body }),
      );
    },
    async setDefault(token, options = {}) {
      const params = pathOf(token);
      return caller.write<'makePaymentInstrumentDefault'>(options, (request) =>
        api.POST('/payment-instruments/{token}/default', { ...request, params }),
      );
    },
    async delete(token, options = {}) {
      const params = pathOf(token);
      return caller.write<'deletePaymentInstrument'>(options, (request) =>
        api.DELETE('/payment-instruments/{token}', { ...request, params }),
      );
    },
  };
}
