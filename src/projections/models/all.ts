// Every read model there is: the engine follows and rebuilds these.
import { accounts } from './accounts.ts';
import { apiKeys } from './api-keys.ts';
import { checkpoints } from './checkpoints.ts';
import { clientSessions } from './client-sessions.ts';
import { connections } from './connections.ts';
import { customerWallets } from './customer-wallets.ts';
import { customers } from './customers.ts';
import { dailyTotals } from './daily-totals.ts';
import { disputes } from './disputes.ts';
import { notifications } from './notifications.ts';
import { paymentInstruments } from './payment-instruments.ts';
import { paymentMessages } from './payment-messages.ts';
import { payments } from './payments.ts';
import { type EmailHashOf, searchedPayments, searchedPaymentsWith } from './searched-payments.ts';
import { users } from './users.ts';
import { webhookEndpoints } from './webhook-endpoints.ts';
import { webhookQueues } from './webhook-queues.ts';

const withoutKey = [
  accounts,
  apiKeys,
  users,
  clientSessions,
  paymentInstruments,
  customerWallets,
  payments,
  notifications,
  connections,
  webhookEndpoints,
  webhookQueues,
  dailyTotals,
  paymentMessages,
  checkpoints,
  disputes,
] as const;

/** All read models, for a process that writes them. */
export const projectionsWith = (emailHashOf: EmailHashOf) =>
  [...withoutKey, searchedPaymentsWith(emailHashOf), customers] as const;

/** All read models, for work that makes no document of the search: their names, and the threads of a rebuild. */
export const allProjections = projectionsWith(() => undefined);

/** The names of the read models whose documents may hold personal data of customers. */
export const PERSONAL_MODELS: readonly string[] = [
  clientSessions,
  payments,
  paymentInstruments,
  customerWallets,
  notifications,
  customers,
  searchedPayments,
].map(({ name }) => name);
