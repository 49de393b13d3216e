// /payments: authorize, capture, cancel, refund, adjust and read (contract §4).
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
import type { PaymentChanges, Payments } from '../../commands/payments/payments.ts';
import type { KnownPayment, Payment } from '../../domain/payment/payment.ts';
import { isKnown } from '../../domain/payment/queries.ts';
import type { Queries } from '../../queries/queries.ts';
import { PaymentAnswer, paymentAnswer } from '../answers/payment.ts';
import type { ActionToken } from '../answers/payment-status.ts';
import { type ErrorId, INVALID, type Refusal, refuse } from '../errors.ts';
import { SESSION_BODY_BYTES } from '../middleware/body.ts';
import { found, OWN, type Route, route, shaped } from '../route.ts';
import { Time } from './payment-filter.ts';
import { type PaymentHistoryNeeds, paymentHistoryRoutes } from './payment-history.ts';
import { paymentListRoute } from './payment-list.ts';
import { params } from './payment-params.ts';

const tag = 'Payments';
const answer = PaymentAnswer;

/** A command that completed has a payment. */
export function known(payment: Payment): KnownPayment {
  if (!isKnown(payment)) throw new TypeError('a command completed without a payment');
  return payment;
}
export const answerOf = ({ id, revision, doc }: Completed<Payment>): PaymentAnswer =>
  paymentAnswer(id, revision, known(doc));
/** The response with the client token of a required action, for a merchant's backend. */
const answerWith =
  (tokenOf: ActionToken) =>
  ({ id, revision, doc }: Completed<Payment>): PaymentAnswer =>
    paymentAnswer(id, revision, known(doc), { tokenOf });

export const KEYED: readonly ErrorId[] = ['Conflict', 'IdempotencyKeyReused', 'IdempotencyKeyInProgress'];
export const CHANGED: readonly ErrorId[] = ['InvalidPaymentStatus', 'PaymentOperationInProgress', ...KEYED];

type Commands = Pick<Payments, 'authorizePayment' | 'resumePayment' | 'requiredActionToken'> & PaymentChanges;
type PaymentRouteNeeds = Commands &
  PaymentHistoryNeeds &
  Pick<Queries, 'readPayment' | 'readPaymentAt' | 'listPayments'>;

export const paymentRoutes = (needs: PaymentRouteNeeds): readonly Route[] => [
  readOne(needs),
  authorize(needs),
  resume(needs),
  ...changes(needs),
  paymentListRoute(needs),
  ...paymentHistoryRoutes(needs),
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
const readOne = ({ readPayment, readPaymentAt }: Pick<PaymentRouteNeeds, 'readPayment' | 'readPaymentAt'>): Route =>
  route({
    tag,
    answer,
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
        const then = await readPaymentAt(id, caller.accountId, { at });
        if ('kind' in then) return then;
        return found(paymentAnswer(id, then.revision, then.doc, { expandEvents: expand !== undefined }), then.revision);
      }
      const read = await readPayment(id, caller.accountId);
      if ('kind' in read) return read;
      const { revision, doc } = read;
      if (expand !== undefined) return found(paymentAnswer(id, revision, doc, { expandEvents: true }), revision);
      const { body, text } = writtenAnswer(id, revision, doc);
      return { ...found(body, revision), text };
    },
  });

/** By the business clock, which test mode may have moved ahead. */
const inTheFuture = (): Refusal =>
  refuse('RequestValidationError', INVALID, {
    models: [{ model: 'Query', errors: [{ path: '$.at', description: 'Must not be in the future.' }] }],
  });

const authorize = ({
  authorizePayment,
  requiredActionToken,
}: Pick<PaymentRouteNeeds, 'authorizePayment' | 'requiredActionToken'>): Route =>
  route({
    tag,
    answer,
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
    request: z.object({ body: AuthorizePayment }),
    mostBodyBytes: SESSION_BODY_BYTES,
    errors: [
      'MetadataContainsEmptyKey',
      'ClientSessionValidationError',
      'InvalidPaymentInstrumentToken',
      'ClientSessionCompleted',
      ...KEYED,
    ],
    handle: async ({ body }, { caller }) =>
      shaped(await authorizePayment(body, caller), answerWith(requiredActionToken)),
  });

const resume = ({
  resumePayment,
  requiredActionToken,
}: Pick<PaymentRouteNeeds, 'resumePayment' | 'requiredActionToken'>): Route =>
  route({
    tag,
    answer,
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
      shaped(await resumePayment(id, body, caller), answerWith(requiredActionToken)),
  });

const changes = ({
  capturePayment,
  cancelPayment,
  refundPayment,
  adjustAuthorization,
}: PaymentChanges): readonly Route[] => [
  route({
    tag,
    answer,
    accepts: true,
    method: 'POST',
    path: '/payments/:id/capture',
    scope: 'transactions:capture',
    id: 'capturePayment',
    example: { on: 'payment', body: { amount: 10, final: false } },
    summary: 'Capture the authorized amount or a part of it',
    request: z.object({ params, body: CapturePayment }),
    errors: [
      'MetadataContainsEmptyKey',
      'UnprocessableCaptureAmount',
      'CaptureDeclined',
      'OperationNotSupported',
      ...CHANGED,
    ],
    handle: async ({ params: { id }, body }, { caller }) => shaped(await capturePayment(id, body, caller), answerOf),
  }),
  route({
    tag,
    answer,
    accepts: true,
    method: 'POST',
    path: '/payments/:id/cancel',
    scope: 'transactions:cancel',
    id: 'cancelPayment',
    example: { on: 'payment', body: { reason: 'out of stock' } },
    summary: 'Cancel a payment and release the uncaptured part of its authorization',
    request: z.object({ params, body: CancelPayment }),
    errors: ['CancellationDeclined', ...CHANGED],
    handle: async ({ params: { id }, body }, { caller }) => shaped(await cancelPayment(id, body, caller), answerOf),
  }),
  route({
    tag,
    answer,
    accepts: true,
    method: 'POST',
    path: '/payments/:id/refund',
    scope: 'transactions:refund',
    id: 'refundPayment',
    example: { on: 'captured payment', body: { amount: 10, orderId: 'refund-1', reason: 'one shirt came back' } },
    summary: 'Refund the captured amount or a part of it',
    request: z.object({ params, body: RefundPayment }),
    errors: ['UnprocessableRefundAmount', 'RefundDeclined', 'PaymentAlreadyRefunded', 'PaymentDisputed', ...CHANGED],
    handle: async ({ params: { id }, body }, { caller }) => shaped(await refundPayment(id, body, caller), answerOf),
  }),
  route({
    tag,
    answer,
    accepts: true,
    method: 'POST',
    path: '/payments/:id/adjust-authorization',
    scope: 'transactions:authorize',
    id: 'adjustAuthorization',
    example: { on: 'estimated payment', body: { amount: 1_100 } },
    summary: 'Change the authorized total of an ESTIMATED authorization',
    request: z.object({ params, body: AdjustAuthorization }),
    errors: ['IncorrectPaymentAuthorizationType', 'AdjustmentDeclined', 'OperationNotSupported', ...CHANGED],
    handle: async ({ params: { id }, body }, { caller }) =>
      shaped(await adjustAuthorization(id, body, caller), answerOf),
  }),
];
