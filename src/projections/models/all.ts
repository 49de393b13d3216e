// Every read model there is: the engine follows and rebuilds these.
import type { StoreKey } from '../../secrets.ts';
import { accounts } from './accounts.ts';
import { agreements } from './agreements.ts';
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
import { savedTokens } from './saved-tokens.ts';
import { searchedPayments, searchedPaymentsWith } from './searched-payments.ts';
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
  agreements,
  notifications,
  connections,
  webhookEndpoints,
  webhookQueues,
  dailyTotals,
  paymentMessages,
  checkpoints,
  disputes,
  savedTokens,
] as const;

/** All read models; without the store's key the search knows no address of an older event. */
export const projectionsWith = (storeKey: StoreKey | undefined) =>
  [...withoutKey, searchedPaymentsWith(storeKey), customers] as const;

/** All read models, for work that makes no document of the search. */
export const allProjections = projectionsWith(undefined);

/** The names of the read models whose documents may hold personal data of customers. */
export const PERSONAL_MODELS: readonly string[] = [
  clientSessions,
  payments,
  paymentInstruments,
  customerWallets,
  agreements,
  notifications,
  customers,
  searchedPayments,
].map(({ name }) => name);
