// The reads of the service: documents of the read models, and a payment's history out of the log.
import { drawFor, unsupportedAt } from '../commands/payments/route-payment.ts';
import type { ClientTokens } from '../commands/sessions/client-tokens.ts';
import type { AgreementEvent } from '../domain/agreement/events.ts';
import type { Agreement } from '../domain/agreement/state.ts';
import type { ClientSessionEvent } from '../domain/client-session/events.ts';
import type { ClientSession } from '../domain/client-session/state.ts';
import type { PaymentEvent } from '../domain/payment/events.ts';
import type { Payment } from '../domain/payment/payment.ts';
import type { PaymentNoteEvent, PaymentNotes } from '../domain/payment-note.ts';
import type { SavedViewEvent, SavedViews } from '../domain/saved-view.ts';
import type { Streams } from '../journal/streams.ts';
import type { Processor } from '../processors/processor.ts';
import type { StoreKey } from '../secrets.ts';
import type { ReadModels } from '../stores/read-models.ts';
import {
  accountQueries,
  emailsOfAccount,
  keyNames,
  listApiKeys,
  readApiKey,
  readUser,
  type UserStreams,
  usersOfAccount,
} from './accounts.ts';
import { readAgreementEvidence } from './agreement-evidence.ts';
import {
  listClientSessions,
  listInstruments,
  listPaymentLinks,
  readClientSession,
  readOwnSession,
  readPaymentInstrument,
  readSessionById,
  readSessionPayments,
  readWallet,
  totalClientSessions,
} from './client-sessions.ts';
import { takenByConnection } from './connection-totals.ts';
import { listCheckpoints, listMessages } from './events.ts';
import {
  countUntaken,
  type DeliveriesPlace,
  type DeliveriesQuery,
  endpointsOfDeliveries,
  listDeliveries,
  type UntakenPlace,
  type UntakenQuery,
  untakenQueues,
} from './list-deliveries.ts';
import { disputesById, listDisputes, totalDisputes } from './list-disputes.ts';
import { listPayments, totalPayments } from './list-payments.ts';
import { readLagHistory } from './overview.ts';
import { readAgreementWhy } from './read-agreement-why.ts';
import { listAgreements, readAgreement, readAgreementAt, readAgreementTries } from './read-agreements.ts';
import { customerNames, listCustomers, readCustomer, searchCustomers, withNames } from './read-customers.ts';
import { readPaymentWhy, type WhyNeeds } from './read-payment-why.ts';
import {
  paymentCalled,
  paymentsById,
  readPayment,
  readPaymentAt,
  readPaymentHistory,
  readPaymentNotes,
  readStoredPayment,
} from './read-payments.ts';
import { listRequests, readRequest } from './read-request-log.ts';
import { revenueAtRisk } from './revenue-at-risk.ts';
import { routingVersions, tryRouting } from './routing.ts';
import { agreementsCharging, methodCalled } from './saved-methods.ts';
import { searchPayments } from './search-payments.ts';
import { countUnresolved, unresolvedPayments } from './unknown-outcomes.ts';
import { countUntakenOfAccount, nextUntakenOfAccount } from './untaken-messages.ts';
import {
  countFailingEndpoints,
  countMessages,
  listWebhookEndpoints,
  readWebhookEndpoint,
  recentDeliveries,
  recentDeliveriesOf,
} from './webhook-endpoints.ts';

export type Queries = ReturnType<typeof makeQueries>;

interface QueryNeeds extends UserStreams, Pick<WhyNeeds, 'notifications'> {
  readonly readModels: ReadModels;
  readonly payments: Streams<Payment, PaymentEvent>;
  readonly agreements: Streams<Agreement, AgreementEvent>;
  readonly paymentNotes: Streams<PaymentNotes, PaymentNoteEvent>;
  readonly savedViews: Streams<SavedViews, SavedViewEvent>;
  readonly sessions: Streams<ClientSession, ClientSessionEvent>;
  readonly tokens: ClientTokens;
  readonly storeKey: StoreKey;
  readonly processors: ReadonlyMap<string, Processor>;
}

export const makeQueries = ({
  readModels,
  payments,
  agreements,
  paymentNotes,
  savedViews,
  notifications,
  sessions,
  accounts,
  users,
  tokens,
  storeKey,
  processors,
}: QueryNeeds) => ({
  ...accountQueries(readModels, accounts),
  routingVersions: routingVersions(accounts),
  tryRouting: tryRouting(readModels, {
    draw: (paymentId) => drawFor(storeKey, paymentId),
    unsupported: (at, asked) => unsupportedAt(processors, at, asked),
  }),
  readClientSession: readClientSession(readModels, tokens),
  readOwnSession: readOwnSession(readModels),
  readSessionById: readSessionById(readModels),
  readSessionPayments: readSessionPayments(readModels, sessions),
  listClientSessions: listClientSessions(readModels),
  totalClientSessions: totalClientSessions(listClientSessions(readModels)),
  listInstruments: listInstruments(readModels),
  listPaymentLinks: listPaymentLinks(readModels),
  readPaymentInstrument: readPaymentInstrument(readModels),
  readWallet: readWallet(readModels, storeKey),
  readAgreement: readAgreement(readModels),
  readAgreementAt: readAgreementAt(agreements),
  readAgreementTries: readAgreementTries(readModels, agreements),
  readAgreementEvidence: readAgreementEvidence({ readModels, agreements, payments }),
  listAgreements: listAgreements(readModels),
  readAgreementWhy: readAgreementWhy(readModels, agreements),
  revenueAtRisk: revenueAtRisk(readModels),
  readPayment: readPayment(readModels),
  readStoredPayment: readStoredPayment(readModels, payments),
  readPaymentAt: readPaymentAt(payments),
  readPaymentNotes: readPaymentNotes(readModels, paymentNotes),
  /** The views that the users of an account share; a page folds their stream. */
  readSavedViews: async (accountId: string): Promise<SavedViews> => (await savedViews.current(accountId)).state,
  readPaymentWhy: readPaymentWhy({ readModels, payments, notifications, storeKey }),
  paymentCalled: paymentCalled(readModels),
  methodCalled: methodCalled(readModels),
  agreementsCharging: agreementsCharging(readModels),
  paymentsById: paymentsById(readModels),
  searchPayments: searchPayments(readModels, storeKey),
  readCustomer: readCustomer(readModels),
  listCustomers: listCustomers(readModels),
  searchCustomers: searchCustomers(readModels, storeKey),
  customerNames: customerNames(readModels),
  withNames: withNames(readModels),
  unresolvedPayments: unresolvedPayments(readModels),
  countUnresolved: countUnresolved(readModels),
  listPayments: listPayments(readModels),
  totalPayments: totalPayments(listPayments(readModels)),
  listMessages: listMessages(readModels),
  listCheckpoints: listCheckpoints(readModels),
  listDisputes: listDisputes(readModels),
  totalDisputes: totalDisputes(listDisputes(readModels)),
  disputesById: disputesById(readModels),
  listApiKeys: listApiKeys(readModels),
  readApiKey: readApiKey(readModels),
  keyNames: keyNames(readModels),
  listDeliveries: (query: DeliveriesQuery, limit: number, after?: DeliveriesPlace) =>
    listDeliveries(readModels, query, limit, after),
  endpointsOfDeliveries: endpointsOfDeliveries(readModels),
  countUntaken: (query: UntakenQuery, at: number) => countUntaken(readModels, query, at),
  untakenQueues: (query: UntakenQuery, at: number, limit: number, place?: UntakenPlace) =>
    untakenQueues(readModels, query, at, limit, place),
  countUntakenOfAccount: countUntakenOfAccount(readModels),
  nextUntakenOfAccount: nextUntakenOfAccount(readModels),
  listWebhookEndpoints: listWebhookEndpoints(readModels),
  countMessages: countMessages(readModels),
  countFailingEndpoints: countFailingEndpoints(readModels),
  readWebhookEndpoint: readWebhookEndpoint(readModels),
  recentDeliveries: recentDeliveries(readModels),
  recentDeliveriesOf: recentDeliveriesOf(readModels),
  takenByConnection: takenByConnection(readModels),
  readLagHistory: readLagHistory(readModels),
  listRequests: listRequests(readModels),
  readRequest: readRequest(readModels),
  readPaymentHistory: readPaymentHistory(readModels, payments),
  readUser: readUser({ accounts, users }),
  usersOfAccount: usersOfAccount(readModels),
  emailsOfAccount: emailsOfAccount(readModels),
});
