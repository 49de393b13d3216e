// /payments: authorize, capture, cancel, refund, adjust, read and list (contract §4).
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { Completed } from '../../commands/caller.ts';
import { AuthorizePayment } from '../../commands/payments/authorize-payment.ts';
import {
  AdjustAuthorization,
  CancelPayment,
  CapturePayment,
  RefundPayment,
} from '../../commands/payments/change-payment.ts';
import { ResumePayment } from '../../commands/payments/customer-action.ts';
import type { KnownPayment, Payment } from '../../domain/payment/payment.ts';
import { isKnown } from '../../domain/payment/queries.ts';
import { cursorAfter, type PaymentPage } from '../../queries/list-payments.ts';
import type { Stored } from '../../stores/read-models.ts';
import type { DryRunAnswer } from '../answers/dry-run.ts';
import { PaymentAnswer, PaymentListAnswer, paymentAnswer, paymentItem } from '../answers/payment.ts';
import { revisionMatches } from '../checks/headers.ts';
import { type ErrorId, INVALID, type Refusal, refuse } from '../errors.ts';
import { listed, Time } from '../list.ts';
import { SESSION_BODY_BYTES } from '../middleware/body.ts';
import { found, type HandlerCall, OWN, type Reply, type Route, route, shaped } from '../route.ts';
import { DryRunQuery, PaymentOrDryRun, triedOut } from './dry-run.ts';
import type { RouteParts } from './parts.ts';
import {
  type DashboardListQuery,
  LIST_PARAMETERS,
  PaymentListQuery,
  paymentParams as params,
  paymentFilter,
} from './payment-filter.ts';
import { paymentHistoryRoutes } from './payment-history.ts';

const common = { tag: 'Payments', answer: PaymentAnswer } as const;

/** A command that completed has a payment. */
export function known(payment: Payment): KnownPayment {
  if (!isKnown(payment)) throw new TypeError('a command completed without a payment');
  return payment;
}
export const answerOf = ({ id, revision, doc }: Completed<Payment>): PaymentAnswer =>
  paymentAnswer(id, revision, known(doc));
export const KEYED: readonly ErrorId[] = ['Conflict', 'IdempotencyKeyReused', 'IdempotencyKeyInProgress'];
export const CHANGED: readonly ErrorId[] = ['InvalidPaymentStatus', 'PaymentOperationInProgress', ...KEYED];

export const paymentRoutes = (parts: RouteParts): readonly Route[] => [
  readOne(parts),
  authorize(parts),
  resume(parts),
  ...paymentChangeRoutes(parts, OF_KEYS),
  list(parts),
  ...paymentHistoryRoutes(parts),
];

interface WrittenAnswer {
  readonly doc: KnownPayment;
  readonly body: PaymentAnswer;
  readonly text: string;
}

const KEPT_CHARACTERS = 8 * 1024 * 1024;
/**
 * Answers written before, by payment: its document is shared and never changes, and it is read more often than it is
 * replaced.
 */
const written = new LRUCache<string, WrittenAnswer>({
  maxSize: KEPT_CHARACTERS,
  sizeCalculation: ({ text }) => text.length,
});

function writtenAnswer(id: string, revision: number, doc: KnownPayment): WrittenAnswer {
  const known = written.get(id);
  if (known?.doc === doc) return known;
  const body = paymentAnswer(id, revision, doc);
  const made = { doc, body, text: JSON.stringify(body) };
  written.set(id, made);
  return made;
}

/** Without the client token of a required action: a key that may only read must not be given one that pays. */
const readOne = ({ queries }: RouteParts): Route =>
  route({
    ...common,
    method: 'GET',
    path: '/payments/:id',
    long: { with: 'at' },
    scope: 'transactions:retrieve',
    id: 'getPayment',
    isByRevision: true,
    example: { on: 'payment', query: { expand: 'transactions.events' } },
    summary: 'Read a payment as it is, or as recorded at a past time',
    request: z.object({
      params,
      query: z.strictObject({ expand: z.literal('transactions.events').optional(), at: Time.optional() }),
    }),
    async handle({ params: { id }, query: { expand, at } }, { caller }) {
      if (at !== undefined) {
        if (at > caller.at) return inTheFuture();
        const then = await queries.readPaymentAt(id, caller.accountId, { at });
        if ('kind' in then) return then;
        return found(paymentAnswer(id, then.revision, then.doc, { expandEvents: expand !== undefined }), then.revision);
      }
      const read = await queries.readPayment(id, caller.accountId);
      if ('kind' in read) return read;
      const { revision, doc } = read;
      if (expand !== undefined) return found(paymentAnswer(id, revision, doc, { expandEvents: true }), revision);
      const { body, text } = writtenAnswer(id, revision, doc);
      return { ...found(body, revision), text };
    },
  });

/** By the business clock, which test mode may have moved ahead. */
export const inTheFuture = (): Refusal =>
  refuse('RequestValidationError', INVALID, {
    models: [{ model: 'Query', errors: [{ path: '$.at', description: 'Must not be in the future.' }] }],
  });

const authorize = ({ payments }: RouteParts): Route =>
  route({
    ...common,
    accepts: true,
    method: 'POST',
    path: '/payments',
    scope: 'transactions:authorize',
    id: 'authorizePayment',
    example: {
      on: 'card',
      body: { clientToken: OWN, paymentMethodToken: OWN, paymentMethod: { captureMode: 'MANUAL' } },
    },
    summary: 'Authorize a payment; with captureMode AUTOMATIC also capture it (which needs transactions:capture)',
    request: z.object({ query: DryRunQuery, body: AuthorizePayment }),
    answer: PaymentOrDryRun,
    mostBodyBytes: SESSION_BODY_BYTES,
    errors: [
      'MetadataContainsEmptyKey',
      'ClientSessionValidationError',
      'InvalidPaymentInstrumentToken',
      'ClientSessionCompleted',
      'ConsentMissing',
      'InvalidAgreementStatus',
      ...KEYED,
    ],
    handle: async ({ query, body }, call) =>
      query.dryRun === true
        ? triedOut(await payments.dryRunAuthorization(body, call.caller), call, 'AuthorizePayment')
        : shaped(await payments.authorizePayment(body, call.caller), answerWithToken(payments)),
  });

const resume = ({ payments }: RouteParts): Route =>
  route({
    ...common,
    accepts: true,
    method: 'POST',
    path: '/payments/:id/resume',
    scope: 'transactions:authorize',
    id: 'resumePayment',
    example: { on: 'returning payment', body: { resumeToken: OWN } },
    summary: 'Continue a payment after the customer has acted',
    request: z.object({ params, body: ResumePayment }),
    errors: CHANGED,
    handle: async ({ params: { id }, body }, { caller }) =>
      shaped(await payments.resumePayment(id, body, caller), answerWithToken(payments)),
  });

/** With the client token of a required action, for a merchant's backend. */
const answerWithToken =
  ({ requiredActionToken: tokenOf }: RouteParts['payments']) =>
  ({ id, revision, doc }: Completed<Payment>): PaymentAnswer =>
    paymentAnswer(id, revision, known(doc), { tokenOf });

interface PaymentChangeAccess {
  /** '' or '/dashboard/api'. */
  readonly prefix: string;
  readonly capture: Route['scope'];
  readonly cancel: Route['scope'];
  readonly refund: Route['scope'];
  readonly adjust: Route['scope'];
  /**
   * On the version that a page showed (If-Match): of two people who saw the same payment, only one moves its money.
   */
  readonly isConditional: boolean;
  /** True if a capture, a cancellation and a refund can be tried out. */
  readonly hasDryRuns: boolean;
}

const OF_KEYS: PaymentChangeAccess = {
  prefix: '',
  capture: 'transactions:capture',
  cancel: 'transactions:cancel',
  refund: 'transactions:refund',
  adjust: 'transactions:authorize',
  isConditional: false,
  hasDryRuns: true,
};

/** Twice: for API keys at `/payments`, and for the dashboard, each with its own access. */
export function paymentChangeRoutes({ payments }: RouteParts, access: PaymentChangeAccess): readonly Route[] {
  const { prefix, isConditional, hasDryRuns, capture, cancel, refund, adjust } = access;
  const changes = { ...common, accepts: true, method: 'POST' } as const;
  const answer: z.ZodType<PaymentAnswer | DryRunAnswer> = hasDryRuns ? PaymentOrDryRun : PaymentAnswer;
  const query: z.ZodType<z.output<typeof DryRunQuery>> = hasDryRuns ? DryRunQuery : z.strictObject({});
  const errors: readonly ErrorId[] = isConditional ? ['PreconditionFailed', ...CHANGED] : CHANGED;
  const when = ({ ifMatch }: HandlerCall) => (isConditional ? revisionMatches(ifMatch) : undefined);
  return [
    route({
      ...changes,
      path: `${prefix}/payments/:id/capture`,
      scope: capture,
      id: 'capturePayment',
      example: { on: 'payment', body: { amount: 10, final: false } },
      summary: 'Capture the authorized amount or a part of it',
      request: z.object({ params, query, body: CapturePayment }),
      answer,
      errors: [
        'MetadataContainsEmptyKey',
        'UnprocessableCaptureAmount',
        'CaptureDeclined',
        'OperationNotSupported',
        ...errors,
      ],
      handle: async ({ params: { id }, query: { dryRun }, body }, call) =>
        dryRun === true
          ? triedOut(await payments.dryRunCapture(id, body, call.caller), call, 'CapturePayment')
          : shaped(await payments.capturePayment(id, body, call.caller, when(call)), answerOf),
    }),
    route({
      ...changes,
      path: `${prefix}/payments/:id/cancel`,
      scope: cancel,
      id: 'cancelPayment',
      example: { on: 'payment', body: { reason: 'out of stock' } },
      summary: 'Cancel a payment and release the uncaptured part of its authorization',
      request: z.object({ params, query, body: CancelPayment }),
      answer,
      errors: ['CancellationDeclined', ...errors],
      handle: async ({ params: { id }, query: { dryRun }, body }, call) =>
        dryRun === true
          ? triedOut(await payments.dryRunCancellation(id, body, call.caller), call, 'CancelPayment')
          : shaped(await payments.cancelPayment(id, body, call.caller, when(call)), answerOf),
    }),
    route({
      ...changes,
      path: `${prefix}/payments/:id/refund`,
      scope: refund,
      id: 'refundPayment',
      example: { on: 'captured payment', body: { amount: 10, orderId: 'refund-1', reason: 'one shirt came back' } },
      summary: 'Refund the captured amount or a part of it',
      request: z.object({ params, query, body: RefundPayment }),
      answer,
      errors: ['UnprocessableRefundAmount', 'RefundDeclined', 'PaymentAlreadyRefunded', 'PaymentDisputed', ...errors],
      handle: async ({ params: { id }, query: { dryRun }, body }, call) =>
        dryRun === true
          ? triedOut(await payments.dryRunRefund(id, body, call.caller), call, 'RefundPayment')
          : shaped(await payments.refundPayment(id, body, call.caller, when(call)), answerOf),
    }),
    route({
      ...changes,
      path: `${prefix}/payments/:id/adjust-authorization`,
      scope: adjust,
      id: 'adjustAuthorization',
      example: { on: 'estimated payment', body: { amount: 1_100 } },
      summary: 'Change the authorized total of an ESTIMATED authorization',
      request: z.object({ params, body: AdjustAuthorization }),
      errors: ['IncorrectPaymentAuthorizationType', 'AdjustmentDeclined', 'OperationNotSupported', ...errors],
      handle: async ({ params: { id }, body }, call) =>
        shaped(await payments.adjustAuthorization(id, body, call.caller, when(call)), answerOf),
    }),
  ];
}

const Place = z.union([
  z.strictObject({ date: z.int(), id: z.string() }),
  z.strictObject({ amount: z.int(), id: z.string() }),
]);

/** A page of the caller's payments, by the filters of the query; `itemOf`: what it shows of one. */
export const pageOfPayments =
  <Item>(
    read: RouteParts['queries']['listPayments'],
    itemOf: (paymentId: string, revision: number, payment: KnownPayment) => Item,
  ) =>
  (
    { query: { limit, cursor, ...filters } }: { readonly query: z.output<typeof DashboardListQuery> },
    { caller: { accountId } }: Pick<HandlerCall, 'caller'>,
  ): Promise<Reply<{ readonly data: Item[]; readonly nextCursor?: string }> | Refusal> => {
    const filter = paymentFilter(filters);
    return listed(
      { limit, cursor },
      {
        list: 'payments',
        accountId,
        filters,
        place: Place,
        read: (size, after): Promise<PaymentPage> => read(accountId, filter, size, after),
        itemsOf: (rows) => rows.map(({ id, revision, doc }) => itemOf(id, revision, doc)),
        placeOf: (last: Stored<KnownPayment>) => cursorAfter(last, filter),
      },
    );
  };

/** The newest first. */
const list = ({ queries }: RouteParts): Route =>
  route({
    id: 'listPayments',
    example: { query: { status: 'AUTHORIZED', limit: '1' } },
    tag: 'Payments',
    path: '/payments',
    scope: 'transactions:retrieve',
    method: 'GET',
    summary: 'List payments, newest first',
    request: z.object({ query: PaymentListQuery }),
    lists: LIST_PARAMETERS,
    answer: PaymentListAnswer,
    errors: ['InvalidCursor'],
    handle: pageOfPayments(queries.listPayments, paymentItem),
  });
