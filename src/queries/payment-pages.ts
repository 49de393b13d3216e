// The reads for the dashboard's pages of payments, client sessions and instruments, which the API of merchants does not have.
import type { ClientSessionEvent } from '../domain/client-session/events.ts';
import type { ClientSession } from '../domain/client-session/state.ts';
import type { PaymentEvent } from '../domain/payment/events.ts';
import type { Payment } from '../domain/payment/payment.ts';
import type { Streams } from '../journal/streams.ts';
import type { ReadModels } from '../stores/read-models.ts';
import { listClientSessions, listInstruments } from './list-newest.ts';
import { readSessionById, readSessionPayments } from './read-client-session.ts';
import { paymentsById, readStoredPayment } from './read-payments.ts';
import { searchPayments } from './search-payments.ts';
import { unresolvedPayments } from './unknown-outcomes.ts';

export interface PaymentPagesReads {
  readonly readModels: ReadModels;
  readonly payments: Streams<Payment, PaymentEvent>;
  readonly sessions: Streams<ClientSession, ClientSessionEvent>;
}

export const paymentPages = ({ readModels, payments, sessions }: PaymentPagesReads) => ({
  readSessionById: readSessionById(readModels),
  readSessionPayments: readSessionPayments(readModels, sessions),
  listClientSessions: listClientSessions(readModels),
  listInstruments: listInstruments(readModels),
  paymentsById: paymentsById(readModels),
  searchPayments: searchPayments(readModels),
  unresolvedPayments: unresolvedPayments(readModels),
  readStoredPayment: readStoredPayment(readModels, payments),
});
