// Payments: authorize, capture, cancel, refund, adjust and read (contract §4). Each needs the scope of its name.
import type { Answered, Caller, CallOptions, WriteOptions } from './call.ts';
import { List } from './list.ts';
import { outcomeKnown, type PaymentOperation } from './outcome.ts';
import type {
  AdjustFields,
  AuthorizeFields,
  CancelFields,
  CaptureFields,
  DisputeEvidenceFields,
  DryRun,
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
   * Of this operation. True: the payment includes the processor's report on this call, so `status` (for a refund: the
   * newest REFUND in `transactions`) shows what happened. False: the money may or may not have moved, or will soon.
   * Then ship nothing, and do not pay again: read the payment later, until its `outcomeKnown` is true.
   */
  readonly outcomeKnown: boolean;
};

export interface GetOptions extends CallOptions {
  /** `transactions.events`: each transaction carries its events. */
  readonly expand?: 'transactions.events' | undefined;
  /** The payment as it was recorded then: a Date, or RFC 3339 text. */
  readonly at?: Date | string | undefined;
}

/**
 * What an operation would do, and why it would be refused. Nothing is written or sent, and the processor is not asked:
 * it may decline what is `allowed`. A payment that does not exist is CounterfoilError `NotFound`.
 */
export interface DryRuns {
  authorize(fields: AuthorizeFields, options?: CallOptions): Promise<Answered<DryRun>>;
  capture(id: string, fields?: CaptureFields, options?: CallOptions): Promise<Answered<DryRun>>;
  cancel(id: string, fields?: CancelFields, options?: CallOptions): Promise<Answered<DryRun>>;
  refund(id: string, fields?: RefundFields, options?: CallOptions): Promise<Answered<DryRun>>;
}

export interface Payments {
  /** The same operations, only tried out. */
  readonly dryRun: DryRuns;
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
  /** `outcomeKnown` of the payment as a whole: false while any of its operations may still move money. */
  get(id: string, options?: GetOptions): Promise<Answered<Payment>>;
  /** Newest first. `limit` is the size of a page (1 to 100), not of the list. */
  list(filter?: PaymentFilter, options?: CallOptions): List<PaymentListItem>;
  /** The history of a payment, oldest first. */
  events(id: string, options?: CallOptions): List<PaymentEvent>;
  /** Why a payment is as it is, oldest first: each step with its words, and with the id of the step that led to it. */
  why(id: string, options?: CallOptions): List<PaymentWhyStep>;
}

const dryRunsOf = (caller: Caller): DryRuns => ({
  authorize: (body, options = {}) => caller.tryOut('POST /payments', { body }, options),
  capture: (id, body = {}, options = {}) =>
    caller.tryOut('POST /payments/{id}/capture', { path: { id }, body }, options),
  cancel: (id, body = {}, options = {}) => caller.tryOut('POST /payments/{id}/cancel', { path: { id }, body }, options),
  refund: (id, body = {}, options = {}) => caller.tryOut('POST /payments/{id}/refund', { path: { id }, body }, options),
});

export const paymentsOf = (caller: Caller): Payments => ({
  dryRun: dryRunsOf(caller),
  authorize: async (body, options = {}) =>
    outcome('authorize', await caller.write('POST /payments', { body }, options)),
  capture: async (id, body = {}, options = {}) =>
    outcome('capture', await caller.write('POST /payments/{id}/capture', { path: { id }, body }, options)),
  cancel: async (id, body = {}, options = {}) =>
    outcome('cancel', await caller.write('POST /payments/{id}/cancel', { path: { id }, body }, options)),
  refund: async (id, body = {}, options = {}) =>
    outcome('refund', await caller.write('POST /payments/{id}/refund', { path: { id }, body }, options)),
  adjustAuthorization: async (id, body, options = {}) =>
    outcome(
      'adjust',
      await caller.write('POST /payments/{id}/adjust-authorization', { path: { id }, body }, options),
      body.amount,
    ),
  resume: async (id, body, options = {}) =>
    outcome('authorize', await caller.write('POST /payments/{id}/resume', { path: { id }, body }, options)),
  submitEvidence: async (id, disputeId, body, options = {}) =>
    answered(
      await caller.write(
        'POST /payments/{id}/disputes/{disputeId}/evidence',
        { path: { id, disputeId }, body },
        options,
      ),
    ),
  acceptDispute: async (id, disputeId, options = {}) =>
    answered(
      await caller.write(
        'POST /payments/{id}/disputes/{disputeId}/accept',
        { path: { id, disputeId }, body: {} },
        options,
      ),
    ),
  get(id, { expand, at, ...options } = {}) {
    const then = at instanceof Date ? at.toISOString() : at;
    const query = { ...(expand !== undefined && { expand }), ...(then !== undefined && { at: then }) };
    return caller.read('GET /payments/{id}', { path: { id }, query }, options);
  },
  list: (filter = {}, options = {}) =>
    new List((cursor) =>
      caller.read('GET /payments', { query: { ...filter, ...(cursor !== undefined && { cursor }) } }, options),
    ),
  events: (id, options = {}) =>
    new List((cursor) =>
      caller.read(
        'GET /payments/{id}/events',
        { path: { id }, query: { limit: 100, ...(cursor !== undefined && { cursor }) } },
        options,
      ),
    ),
  why: (id, options = {}) =>
    new List((cursor) =>
      caller.read(
        'GET /payments/{id}/why',
        { path: { id }, query: { limit: 500, ...(cursor !== undefined && { cursor }) } },
        options,
      ),
    ),
});

/** The payment with the outcome of this operation. `wanted`: the total that an adjustment asked for, minor units. */
const outcome = (operation: PaymentOperation, payment: Answered<Payment>, wanted?: number): PaymentOutcome =>
  Object.assign(payment, { outcomeKnown: outcomeKnown(operation, payment.response.status, payment, wanted) });

const ACCEPTED = 202;
/** The outcome of a response to a dispute: known once the processor has confirmed it. */
const answered = (payment: Answered<Payment>): PaymentOutcome =>
  Object.assign(payment, { outcomeKnown: payment.response.status !== ACCEPTED });
