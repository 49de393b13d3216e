// The reads of the service: documents of the read models, and a payment's history out of the log.
import type { ClientTokens } from '../commands/sessions/client-tokens.ts';
import type { PaymentEvent } from '../domain/payment/events.ts';
import type { Payment } from '../domain/payment/payment.ts';
import type { Streams } from '../journal/streams.ts';
import type { StoreKey } from '../secrets.ts';
import type { ReadModels } from '../stores/read-models.ts';
import { hasAccounts } from './has-accounts.ts';
import { readLagHistory } from './lag-history.ts';
import { listApiKeys } from './list-api-keys.ts';
import { type DeliveriesPlace, type DeliveriesQuery, listDeliveries } from './list-deliveries.ts';
import { listDisputes } from './list-disputes.ts';
import { listMessages } from './list-messages.ts';
import { listPayments } from './list-payments.ts';
import { operatesStore } from './operates-store.ts';
import { paymentCalled } from './payment-called.ts';
import { type PaymentPagesReads, paymentPages } from './payment-pages.ts';
import { readAccountName } from './read-account-name.ts';
import { readAllowedOrigins } from './read-allowed-origins.ts';
import { readClientSession, readOwnSession } from './read-client-session.ts';
import { readPaymentAt } from './read-payment-at.ts';
import { readPaymentInstrument, readWallet } from './read-payment-instruments.ts';
import { readPaymentWhy, type WhyNeeds } from './read-payment-why.ts';
import { readPayment, readPaymentHistory } from './read-payments.ts';
import { listRequests, readRequest } from './read-request-log.ts';
import { readUser, type UserStreams, usersOfAccount } from './read-users.ts';
import { listWebhookEndpoints, readWebhookEndpoint } from './webhook-endpoints.ts';

export type Queries = ReturnType<typeof makeQueries>;

export interface QueryNeeds extends UserStreams, PaymentPagesReads, Pick<WhyNeeds, 'notifications'> {
  readonly readModels: ReadModels;
  readonly payments: Streams<Payment, PaymentEvent>;
  readonly tokens: ClientTokens;
  readonly storeKey: StoreKey;
}

export const makeQueries = ({ readModels, payments, notifications, sessions, accounts, users, tokens, storeKey }: QueryNeeds) => ({
  ...paymentPages({ readModels, payments, sessions }),
  hasAccounts: hasAccounts(readModels),
  operatesStore: operatesStore(accounts, readModels),
  readAccountName: readAccountName(readModels),
  readAllowedOrigins: readAllowedOrigins(readModels),
  readClientSession: readClientSession(readModels, tokens),
  readOwnSession: readOwnSession(readModels),
  readPaymentInstrument: readPaymentInstrument(readModels),
  readWallet: readWallet(readModels, storeKey),
  readPayment: readPayment(readModels),
  readPaymentAt: readPaymentAt(payments),
  readPaymentWhy: readPaymentWhy({ readModels, payments, notifications, storeKey }),
  paymentCalled: paymentCalled(readModels),
  listPayments: listPayments(readModels),
  listMessages: listMessages(readModels),
  listDisputes: listDisputes(readModels),
  listApiKeys: listApiKeys(readModels),
  listDeliveries: (query: DeliveriesQuery, limit: number, after?: DeliveriesPlace) => listDeliveries(readModels, query, limit, after),
  listWebhookEndpoints: listWebhookEndpoints(readModels),
  readWebhookEndpoint: readWebhookEndpoint(readModels),
  readLagHistory: readLagHistory(readModels),
  listRequests: listRequests(readModels),
  readRequest: readRequest(readModels),
  readPaymentHistory: readPaymentHistory(readModels, payments),
  readUser: readUser({ accounts, users }),
  usersOfAccount: usersOfAccount(readModels),
});
