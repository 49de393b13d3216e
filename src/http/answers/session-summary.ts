// Client sessions as the dashboard lists and shows them: never a token.
import { z } from 'zod';
import { isExpired, type OpenSession } from '../../domain/client-session/state.ts';
import type { KnownPayment } from '../../domain/payment/payment.ts';
import { isOver } from '../../domain/payment/queries.ts';
import type { Stored } from '../../stores/read-models.ts';
import { bytesOf, fitting } from '../answer-size.ts';
import { answer } from './answer.ts';
import { ClientSessionAnswer, clientSessionAnswer } from './client-session.ts';
import {
  CustomerNameAnswer,
  customerNameAnswer,
  derivedStatusAnswer,
  ListedPayment,
  listedPayment,
} from './listed-payment.ts';
import { Instant, pageOf } from './shapes.ts';

export const SessionStatusName = z.enum(['OPEN', 'IN_PAYMENT', 'EXPIRED']);

const SessionSummary = z
  .strictObject({
    id: z.string(),
    /** IN_PAYMENT: a payment holds it that is not declined, failed or cancelled. */
    status: SessionStatusName,
    orderId: z.string().optional(),
    customerId: z.string().optional(),
    customerName: CustomerNameAnswer.optional(),
    currencyCode: z.string().optional(),
    /** Minor units. */
    amount: z.int().optional(),
    createdAt: Instant,
    /** When the session can no longer be used, unless a new token is issued before. */
    expiresAt: Instant,
    /** With the members that say how a list shows its status. */
    payment: ListedPayment.pick({ id: true, status: true, derivedStatus: true })
      .extend({ processor: ListedPayment.shape.processor.pick({ amountCaptured: true, amountRefunded: true }) })
      .optional(),
  })
  .meta({ id: 'SessionSummary' });
export type SessionSummary = z.infer<typeof SessionSummary>;

export const SessionListAnswer = pageOf('SessionList', SessionSummary);
export type SessionListAnswer = z.infer<typeof SessionListAnswer>;

export const SessionDetailAnswer = z
  .strictObject({ summary: SessionSummary, fields: ClientSessionAnswer, payments: z.array(ListedPayment) })
  .meta({ id: 'SessionDetail' });
export type SessionDetailAnswer = z.infer<typeof SessionDetailAnswer>;

type Carried = Stored<KnownPayment> | undefined;

/** `carried`: the payment that its claim names, where that was made. `at`: the time of the request, ms. */
export function sessionSummary(id: string, session: OpenSession, carried: Carried, at: number): SessionSummary {
  const isHeld = carried === undefined ? session.payment !== undefined : !isOver(carried.doc);
  const fields = clientSessionAnswer(session);
  return answer(SessionSummary, fields, {
    id,
    status: isHeld ? 'IN_PAYMENT' : isExpired(session, at) ? 'EXPIRED' : 'OPEN',
    ...customerNameAnswer(fields.customer),
    createdAt: session.createdAt,
    expiresAt: session.sessionExpiresAt,
    payment: carried && summaryPayment(carried),
  });
}

const summaryPayment = ({ id, doc }: Stored<KnownPayment>): SessionSummary['payment'] => {
  const { amountCaptured, amountRefunded } = doc;
  return { id, status: doc.status, ...derivedStatusAnswer(doc), processor: { amountCaptured, amountRefunded } };
};

export const sessionDetailAnswer = (
  id: string,
  session: OpenSession,
  payments: readonly Stored<KnownPayment>[],
  at: number,
): SessionDetailAnswer => ({
  summary: sessionSummary(
    id,
    session,
    payments.find((one) => one.id === session.payment?.paymentId),
    at,
  ),
  fields: clientSessionAnswer(session),
  payments: [...fitting(payments, (one) => listedPayment(one.id, one.revision, one.doc), bytesOf(session)).items],
});
