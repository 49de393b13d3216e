// A payment link in answers: to the merchant with its URL, and to the page that takes its payment (contract §3).
import { z } from 'zod';
import { LINK_STATUS_WORDS, type LinkStatus, linkStatus, linkStatuses } from '../../commands/sessions/payment-link.ts';
import { amountOf } from '../../domain/client-session/queries.ts';
import type { OpenSession } from '../../domain/client-session/state.ts';
import type { KnownPayment } from '../../domain/payment/payment.ts';
import { isOver } from '../../domain/payment/queries.ts';
import type { Stored } from '../../stores/read-models.ts';
import { formatTime } from '../../world.ts';
import { answer } from './answer.ts';
import { AnsweredFields, clientSessionAnswer, Fee, LineItem, Shipping } from './client-session.ts';
import { PaymentStatusName } from './payment-status.ts';
import { Instant, pageOf, valuesIn } from './shapes.ts';

const status = z.enum(linkStatuses).meta({ id: 'PaymentLinkStatus', ...valuesIn(LINK_STATUS_WORDS) });

export const PaymentLinkAnswer = AnsweredFields.omit({ customerId: true, returnUrl: true, agreement: true })
  .extend({
    id: z.string(),
    url: z.url().meta({ description: 'The page that takes the payment. Send it to the customer alone.' }),
    status,
    createdAt: Instant,
    expiresAt: Instant.meta({ description: 'When the link no longer takes a payment.' }),
    cancelledAt: Instant.optional().meta({ description: 'When the link was cancelled.' }),
    payment: z
      .strictObject({ id: z.string(), status: PaymentStatusName })
      .optional()
      .meta({ description: 'The payment that the link has, unless it was declined, failed or was cancelled.' }),
  })
  .meta({ id: 'PaymentLink' });
export type PaymentLinkAnswer = z.infer<typeof PaymentLinkAnswer>;

export const PaymentLinkListAnswer = pageOf('PaymentLinkList', PaymentLinkAnswer);

interface LinkPayment {
  /** The payment that holds the session, where it was created. */
  readonly payment: Stored<KnownPayment> | undefined;
  /** The time of the request, ms. */
  readonly at: number;
}

export function paymentLinkAnswer(
  id: string,
  session: OpenSession,
  { payment, at, url }: LinkPayment & { readonly url: string },
): PaymentLinkAnswer {
  const { createdAt, sessionExpiresAt, link } = session;
  const answered = clientSessionAnswer(session);
  const { customerId: _customer, returnUrl: _return, agreement: _agreement, warnings: _none, ...fields } = answered;
  return {
    id,
    url,
    status: linkStatus(session, payment?.doc, at),
    ...fields,
    createdAt: formatTime(createdAt),
    expiresAt: formatTime(sessionExpiresAt),
    cancelledAt: link?.cancelledAt === undefined ? undefined : formatTime(link.cancelledAt),
    payment: payment === undefined || isOver(payment.doc) ? undefined : { id: payment.id, status: payment.doc.status },
  };
}

/** What a customer may know: no field that is for the merchant's own use. */
export const PayPageAnswer = z
  .strictObject({
    status,
    /** Absent while the shop has no name. */
    shopName: z.string().optional(),
    orderId: z.string().optional(),
    amount: z.int(),
    currencyCode: z.string(),
    lineItems: z.array(LineItem).optional(),
    fees: z.array(Fee).optional(),
    shipping: Shipping.optional(),
    expiresAt: Instant,
    /** With the statuses OPEN and PROCESSING: for the checkout on the page. */
    clientToken: z.string().optional(),
  })
  .meta({ id: 'PayPage' });
export type PayPageAnswer = z.infer<typeof PayPageAnswer>;

const TAKES_PAYMENT: ReadonlySet<LinkStatus> = new Set(['OPEN', 'PROCESSING']);

export function payPageAnswer(
  id: string,
  session: OpenSession,
  { payment, at, ...shown }: LinkPayment & { readonly shopName: string | undefined; readonly clientToken: string },
): PayPageAnswer {
  const { fields, sessionExpiresAt: expiresAt } = session;
  const now = linkStatus(session, payment?.doc, at);
  return answer(PayPageAnswer, fields.order ?? {}, {
    status: now,
    shopName: shown.shopName,
    // the link's own id says nothing to a customer
    orderId: fields.orderId === id ? undefined : fields.orderId,
    amount: amountOf(fields) ?? 0,
    currencyCode: fields.currencyCode ?? '',
    expiresAt,
    clientToken: TAKES_PAYMENT.has(now) ? shown.clientToken : undefined,
  });
}
