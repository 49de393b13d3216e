// Agreements: what customers agreed to be charged for in their absence; each period is charged once (contract §14).
import type { Answered, Caller, CallOptions, ConditionalOptions, WriteOptions } from './call.ts';
import { List } from './list.ts';
import { outcomeKnown } from './outcome.ts';
import type { PaymentOutcome } from './payments.ts';
import type {
  Agreement,
  AgreementChanges,
  AgreementFields,
  AgreementFilter,
  AgreementNoticeFields,
  AgreementWhyStep,
  ChargeFields,
} from './types.ts';

export interface Agreements {
  /** From a payment of the customer that saved its payment method, or was made with a saved one. */
  create(fields: AgreementFields, options?: WriteOptions): Promise<Answered<Agreement>>;
  /** Newest first. `limit` is the size of a page (1 to 100), not of the list. */
  list(filter?: AgreementFilter, options?: CallOptions): List<Agreement>;
  get(id: string, options?: CallOptions): Promise<Answered<Agreement>>;
  /**
   * Why it is in its status: the chain of requests, charges and decisions, oldest first. The last page has `next`.
   */
  why(id: string, options?: CallOptions): List<AgreementWhyStep>;
  /**
   * Changes terms, retry policy and metadata; what is left out stays. Terms that allow more need a new `consent`, all
   * others `noticeGivenAt`. `ifMatch`: only at this version.
   */
  update(id: string, changes: AgreementChanges, options?: ConditionalOptions): Promise<Answered<Agreement>>;
  /** Puts on record that you told the customer of a charge, or of other terms. */
  recordNotice(id: string, fields: AgreementNoticeFields, options?: WriteOptions): Promise<Answered<Agreement>>;
  /**
   * Charges a period. The same `periodKey` answers the same payment, for ever; after a decline it is the next try, and
   * CounterfoilError `RetryNotAllowed` before that is allowed.
   */
  charge(id: string, fields: ChargeFields, options?: WriteOptions): Promise<PaymentOutcome>;
  pause(id: string, options?: WriteOptions): Promise<Answered<Agreement>>;
  resume(id: string, options?: WriteOptions): Promise<Answered<Agreement>>;
  /** For good. A charge that has begun goes on: `periods` has it without an outcome. */
  cancel(id: string, fields?: { readonly reason?: string }, options?: WriteOptions): Promise<Answered<Agreement>>;
  /** Charges another payment method from now on, with which the customer has paid `paymentId`. */
  replaceInstrument(
    id: string,
    fields: { readonly paymentId: string },
    options?: WriteOptions,
  ): Promise<Answered<Agreement>>;
}

export const agreementsOf = (caller: Caller): Agreements => ({
  create: (body, options = {}) => caller.write('POST /agreements', { body }, options),
  list: (filter = {}, options = {}) =>
    new List((cursor) =>
      caller.read('GET /agreements', { query: { ...filter, ...(cursor !== undefined && { cursor }) } }, options),
    ),
  get: (id, options = {}) => caller.read('GET /agreements/{id}', { path: { id } }, options),
  why: (id, options = {}) =>
    new List((cursor) =>
      caller.read('GET /agreements/{id}/why', { path: { id }, query: cursor === undefined ? {} : { cursor } }, options),
    ),
  update: (id, body, options = {}) => caller.write('PATCH /agreements/{id}', { path: { id }, body }, options),
  recordNotice: (id, body, options = {}) =>
    caller.write('POST /agreements/{id}/notices', { path: { id }, body }, options),
  async charge(id, body, options = {}) {
    const payment = await caller.write('POST /agreements/{id}/charges', { path: { id }, body }, options);
    return Object.assign(payment, { outcomeKnown: outcomeKnown('authorize', payment.response.status, payment) });
  },
  pause: (id, options = {}) => caller.write('POST /agreements/{id}/pause', { path: { id } }, options),
  resume: (id, options = {}) => caller.write('POST /agreements/{id}/resume', { path: { id } }, options),
  cancel: (id, body = {}, options = {}) =>
    caller.write('POST /agreements/{id}/cancel', { path: { id }, body }, options),
  replaceInstrument: (id, body, options = {}) =>
    caller.write('POST /agreements/{id}/instrument', { path: { id }, body }, options),
});
