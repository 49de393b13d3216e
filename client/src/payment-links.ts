// Payment links: pages of the service that take one payment each, for a sale without a shop (contract §3). Needs
// client_tokens:write.
import type { Answered, Caller, CallOptions, WriteOptions } from './call.ts';
import { List } from './list.ts';
import type { PaymentLink, PaymentLinkFields } from './types.ts';

export interface PaymentLinks {
  /** Answers the link with its `url`: whoever has it can read the order and pay it. */
  create(fields: PaymentLinkFields, options?: WriteOptions): Promise<Answered<PaymentLink>>;
  /** Newest first. */
  list(filter?: { readonly limit?: number }, options?: CallOptions): List<PaymentLink>;
  /** PAID names the payment: ship by its own status. */
  get(id: string, options?: CallOptions): Promise<Answered<PaymentLink>>;
  /** Throws CounterfoilError `ClientSessionCompleted`, with `paymentId`, while a payment holds the link. */
  cancel(id: string, options?: WriteOptions): Promise<Answered<PaymentLink>>;
}

export const paymentLinksOf = (caller: Caller): PaymentLinks => ({
  create: (body, options = {}) => caller.write('POST /payment-links', { body }, options),
  list: (filter = {}, options = {}) =>
    new List((cursor) =>
      caller.read('GET /payment-links', { query: { ...filter, ...(cursor !== undefined && { cursor }) } }, options),
    ),
  get: (id, options = {}) => caller.read('GET /payment-links/{id}', { path: { id } }, options),
  cancel: (id, options = {}) => caller.write('POST /payment-links/{id}/cancel', { path: { id } }, options),
});
