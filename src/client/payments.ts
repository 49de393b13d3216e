// Payments: authorize, capture, cancel, refund, adjust and read (contract §4). Each needs the scope of its name.
import type { Client } from 'openapi-fetch';
import type { paths } from './api-types.ts';
import { type Answered, type Caller, type CallOptions, idInPath, type WriteOptions } from './call.ts';
import { List } from './list.ts';
import { outcomeKnown, type PaymentOperation } from './outcome.ts';
import type {
  AdjustFields,
  AuthorizeFields,
  CancelFields,
  CaptureFields,
  DisputeEvidenceFields,
  Payment,
  PaymentEvent,
  PaymentFilter,
  PaymentListItem,
  PaymentWhyStep,
  RefundFields,
  ResumeFields,
} from './types.ts';

/** A payment as an operation left it. */
export type PaymentOutcome = Answered<Payment> & {
  /**
   * True: the payment includes the processor's report on this call, so `status` (for a refund: the newest REFUND in
   * `transactions`) shows what happened. False: the money may or may not have moved, or will soon. Then ship nothing,
   * and do not pay again: read the payment later, until its status has changed.
   */
  readonly outcomeKnown: boolean;
};

export interface GetOptions extends CallOptions {
  /** `transactions.events`: each transaction carries its events. */
  readonly expand?: 'transactions.events' | undefined;
  /** The payment as it was recorded then: a Date, or RFC 3339 text. */
  readonly at?: Date | string | undefined;
}

export interface Payments {
  /** Pays with a token. A declined payment is an answer with the status DECLINED, not an error. */
  authorize(fields: AuthorizeFields, options?: WriteOptions): Promise<PaymentOutcome>;
  /** Takes what was authorized: all that is left, or `amount` in minor units. */
  capture(id: string, fields?: CaptureFields, options?: WriteOptions): Promise<PaymentOutcome>;
  /** Releases what was authorized and not captured. */
  cancel(id: string, fields?: CancelFields, options?: WriteOptions): Promise<PaymentOutcome>;
  /** Gives back what was captured: all that is left, or `amount` in minor units. */
  refund(id: string, fields?: RefundFields, options?: WriteOptions): Promise<PaymentOutcome>;
  /** Authorizes another total, where the authorization is ESTIMATED. */
  adjustAuthorization(id: string, fields: AdjustFields, options?: WriteOptions): Promise<PaymentOutcome>;
  /**
   * Continues after the customer has acted (`requiredAction`), with the `resumeToken` from the call of your
   * `returnUrl`. Repeated, or after the processor has reported the outcome: returns the payment as it is.
   */
  resume(id: string, fields: ResumeFields, options?: WriteOptions): Promise<PaymentOutcome>;
  /**
   * Challenges a dispute with evidence where `submit` is true; otherwise keeps the evidence as a draft. `outcomeKnown`
   * is false while the processor has not answered.
   */
  submitEvidence(
    id: string,
    disputeId: string,
    fields: DisputeEvidenceFields,
    options?: WriteOptions,
  ): Promise<PaymentOutcome>;
  /** Accepts a dispute: the customer keeps the money. */
  acceptDispute(id: string, disputeId: string, options?: WriteOptions): Promise<PaymentOutcome>;
  get(id: string, options?: GetOptions): Promise<Answered<Payment>>;
  /** Newest first. `limit` is the size of a page (1 to 100), not of the list. */
  list(filter?: PaymentFilter, options?: CallOptions): List<PaymentListItem>;
  /** The history of a payment, oldest first. */
  events(id: string, options?: CallOptions): List<PaymentEvent>;
  /** Why a payment is as it is, oldest first: each step with its words, and with the id of the step that led to it. */
  why(id: string, options?: CallOptions): List<PaymentWhyStep>;
}

const disputePathOf = (id: string, disputeId: string) => ({
  path: { id: idInPath(id), disputeId: idInPath(disputeId) },
});

const ACCEPTED = 202;
/** The outcome of a response to a dispute: known once the processor has confirmed it. */
const answered = (payment: Answered<Payment>): PaymentOutcome =>
  Object.assign(payment, { outcomeKnown: payment.response.status !== ACCEPTED });

export function paymentsOf(api: Client<paths>, caller: Caller): Payments {
  const pathOf = (id: string): { readonly path: { readonly id: string } } => ({ path: { id: idInPath(id) } });
  return {
    async authorize(body, options = {}) {
      return outcome(
        'authorize',
        await caller.write<'authorizePayment'>(options, (request) => api.POST('/payments', { ...request, body })),
      );
    },
    async capture(id, body = {}, options = {}) {
      const params = pathOf(id);
      const asked = caller.write<'capturePayment'>(options, (request) =>
        api.POST('/payments/{id}/capture', { ...request, params, body }),
      );
      return outcome('capture', await asked);
    },
    async cancel(id, body = {}, options = {}) {
      const params = pathOf(id);
      return outcome(
        'cancel',
        await caller.write<'cancelPayment'>(options, (request) =>
          api.POST('/payments/{id}/cancel', { ...request, params, body }),
        ),
      );
    },
    async refund(id, body = {}, options = {}) {
      const params = pathOf(id);
      return outcome(
        'refund',
        await caller.write<'refundPayment'>(options, (request) =>
          api.POST('/payments/{id}/refund', { ...request, params, body }),
        ),
      );
    },
    async adjustAuthorization(id, body, options = {}) {
      const params = pathOf(id);
      const asked = caller.write<'adjustAuthorization'>(options, (request) =>
        api.POST('/payments/{id}/adjust-authorization', { ...request, params, body }),
      );
      return outcome('adjust', await asked, body.amount);
    },
    async resume(id, body, options = {}) {
      const params = pathOf(id);
      return outcome(
        'authorize',
        await caller.write<'resumePayment'>(options, (request) =>
          api.POST('/payments/{id}/resume', { ...request, params, body }),
        ),
      );
    },
    async submitEvidence(id, disputeId, body, options = {}) {
      const params = disputePathOf(id, disputeId);
      const asked = caller.write<'submitDisputeEvidence'>(options, (request) =>
        api.POST('/payments/{id}/disputes/{disputeId}/evidence', { ...request, params, body }),
      );
      return answered(await asked);
    },
    async acceptDispute(id, disputeId, options = {}) {
      const params = disputePathOf(id, disputeId);
      const asked = caller.write<'acceptDispute'>(options, (request) =>
        api.POST('/payments/{id}/disputes/{disputeId}/accept', { ...request, params, body: {} }),
      );
      return answered(await asked);
    },
    async get(id, { expand, at, ...options } = {}) {
      const then = at instanceof Date ? at.toISOString() : at;
      const query = { ...(expand !== undefined && { expand }), ...(then !== undefined && { at: then }) };
      const params = { ...pathOf(id), query };
      return caller.read<'getPayment'>(options, (request) => api.GET('/payments/{id}', { ...request, params }));
    },
    list: (filter = {}, options = {}) =>
      new List((cursor) =>
        caller.read<'listPayments'>(options, (request) =>
          api.GET('/payments', {
            ...request,
            params: { query: { ...filter, ...(cursor !== undefined && { cursor }) } },
          }),
        ),
      ),
    events(id, options = {}) {
      const path = pathOf(id);
      return new List((cursor) =>
        caller.read<'listPaymentEvents'>(options, (request) =>
          api.GET('/payments/{id}/events', {
            ...request,
            params: { ...path, query: { limit: 100, ...(cursor !== undefined && { cursor }) } },
          }),
        ),
      );
    },
    why(id, options = {}) {
      const path = pathOf(id);
      return new List((cursor) =>
        caller.read<'explainPayment'>(options, (request) =>
          api.GET('/payments/{id}/why', {
            ...request,
            params: { ...path, query: { limit: 500, ...(cursor !== undefined && { cursor }) } },
          }),
        ),
      );
    },
  };
}

/** `wanted`: the total that an adjustment asked for, minor units. */
function outcome(operation: PaymentOperation, payment: Answered<Payment>, wanted?: number): PaymentOutcome {
  return Object.assign(payment, { outcomeKnown: outcomeKnown(operation, payment.response.status, payment, wanted) });
}
